import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The hits of one client in its current window of a rate limit. Unlogged: only counts can be lost. */
@Entity('rate_limit_windows')
export class RateLimitWindowRow {
  /** A digest of route and client address. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_rate_limit_windows' })
  key: string;

  @Column({ type: 'int' })
  hits: number;

  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;
}
