import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the rate limiter to a platform remembers of the calls with one credential. Unlogged: nothing is lost with it but counts. */
@Entity('platform_gates')
export class PlatformGateRow {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_gates' })
  platform: string;

  /** A digest of what the platform counts calls by. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_gates' })
  credential: string;

  /** Of a form that only the rate limiter knows; JSON null for one that is new. */
  @Column({ type: 'json' })
  state: unknown;

  @Column({ name: 'visited_at', type: 'timestamptz' })
  visitedAt: Date;
}
