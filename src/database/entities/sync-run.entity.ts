import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

/** One reading of a platform for one customer. A connection has at most one run in progress. */
@Entity('sync_runs')
@Check('ck_sync_runs_status', `"status" in ('running', 'done', 'failed')`)
@Check('ck_sync_runs_mode', `"mode" in ('sandbox', 'live')`)
@Index('uq_sync_runs_running', ['customerId', 'platform'], { unique: true, where: `status = 'running'` })
@Index('ix_sync_runs_deletions_held', ['customerId', 'platform'], {
  where: `report ->> 'deletionsHeld' <> '0'`,
})
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sync_runs_customer',
  onDelete: 'CASCADE',
})
export class SyncRunRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_sync_runs' })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_sync_runs' })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  platform: string;

  /** What the run reads: the platform itself, or its sandbox. */
  @Column({ type: 'text', collation: 'C', default: 'sandbox' })
  mode: ConnectionMode;

  /** Whether all scopes are read completely and not from their cursors. */
  @Column({ type: 'boolean', default: true })
  whole: boolean;

  /** Whether a person has accepted the deletion of many records at once. */
  @Column({ name: 'accept_deletions', type: 'boolean', default: false })
  acceptDeletions: boolean;

  /** When the settings of the run were made; null for a sandbox. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz', nullable: true })
  settingsChangedAt: Date | null;

  @Column({ type: 'text', collation: 'C' })
  status: 'running' | 'done' | 'failed';

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'now()' })
  startedAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  /** The owner of the run: one claim of one instance. */
  @Column({ name: 'lease_owner', type: 'uuid' })
  leaseOwner: string;

  /** From this time on any instance may take the run over. */
  @Column({ name: 'lease_until', type: 'timestamptz' })
  leaseUntil: Date;

  /** When the reading began, after all changes that had begun before; null until it begins. */
  @Column({ name: 'reading_since', type: 'timestamptz', nullable: true })
  readingSince: Date | null;

  /** Records read so far, by type. */
  @Column({ type: 'json', default: {} })
  counts: unknown;

  /** Records of the platform that are stored after the run, by type; null unless the run is done. */
  @Column({ type: 'json', nullable: true })
  result: unknown;

  /**
   * Further results of the run: whether everything was read, what could not be read, and the cost; null unless the run
   * is done.
   */
  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** The failure as clients see it: the type of the error and its message. */
  @Column({ type: 'json', nullable: true })
  error: unknown;
}
