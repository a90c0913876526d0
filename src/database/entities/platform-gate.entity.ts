import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The rate limiter's state for the calls with one credential. Unlogged: only counts can be lost. */
@Entity('platform_gates')
export class PlatformGateRow {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_gates' })
  platform: string;

  /** A digest of the value by which the platform counts calls. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_gates' })
  credential: string;

  /** In a form that only the rate limiter knows; JSON null for a new row. */
  @Column({ type: 'json' })
  state: unknown;

  @Column({ name: 'visited_at', type: 'timestamptz' })
  visitedAt: Date;
}
