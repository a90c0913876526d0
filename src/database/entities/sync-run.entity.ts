import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';

/** One reading of a platform for one customer. At most one is under way for a connection. */
@Entity('sync_runs')
@Check('ck_sync_runs_status', `"status" in ('running', 'done', 'failed')`)
@Check('ck_sync_runs_mode', `"mode" in ('sandbox', 'live')`)
@Index('uq_sync_runs_running', ['customerId', 'platform'], { unique: true, where: `status = 'running'` })
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

  /** Where the run reads: the platform itself, or its sandbox. */
  @Column({ type: 'text', collation: 'C', default: 'sandbox' })
  mode: ConnectionMode;

  /** Whether all scopes are read whole, not only from their cursors on. */
  @Column({ type: 'boolean', default: true })
  whole: boolean;

  /** Whether a person has accepted that many records go at once. */
  @Column({ name: 'accept_deletions', type: 'boolean', default: false })
  acceptDeletions: boolean;

  /** When the settings that the run reads with were made; null for a sandbox. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz', nullable: true })
  settingsChangedAt: Date | null;

  @Column({ type: 'text', collation: 'C' })
  status: 'running' | 'done' | 'failed';

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'now()' })
  startedAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  /** Who works on the run: one claim of one instance. */
  @Column({ name: 'lease_owner', type: 'uuid' })
  leaseOwner: string;

  /** From then on anybody may take the run over. */
  @Column({ name: 'lease_until', type: 'timestamptz' })
  leaseUntil: Date;

  /** When the reading began, behind all changes that had begun before; null until it begins. */
  @Column({ name: 'reading_since', type: 'timestamptz', nullable: true })
  readingSince: Date | null;

  /** Records read so far, by type. */
  @Column({ type: 'json', default: {} })
  counts: unknown;

  /** Records that the platform has here after the run, by type; null unless it is done. */
  @Column({ type: 'json', nullable: true })
  result: unknown;

  /** What else the run came to: whether all was read, what could not be, and what it cost; null unless it is done. */
  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** What a client reads of a failure: the type of the error and its message. */
  @Column({ type: 'json', nullable: true })
  error: unknown;
}
