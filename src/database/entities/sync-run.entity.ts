import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { ConnectionMode } from './connection-mode';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

const primaryKeyConstraintName = 'pk_sync_runs';

/** A reading of a connection, under way or ended. At most one of a connection is under way. */
@Entity('sync_runs')
@Check('ck_sync_runs_status', `"status" in ('running', 'done', 'failed')`)
@Check('ck_sync_runs_mode', `"mode" in ('sandbox', 'live')`)
@Index('uq_sync_runs_running', ['customerId', 'platform'], { unique: true, where: `status = 'running'` })
// Of an expression. The migration creates it.
@Index('ix_sync_runs_deletions_held', { synchronize: false })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sync_runs_customer',
  onDelete: 'CASCADE',
})
export class SyncRunRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  platform: string;

  @Column({ type: 'text', collation: 'C', default: 'sandbox' })
  mode: ConnectionMode;

  @Column({ type: 'text', collation: 'C' })
  status: 'running' | 'done' | 'failed';

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'now()' })
  startedAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  /** The name of the claim. An instance that takes the run over writes a new one. */
  @Column({ name: 'lease_owner', type: 'uuid' })
  leaseOwner: string;

  @Column({ name: 'lease_until', type: 'timestamptz' })
  leaseUntil: Date;

  /** Whether no instance works on a run under way. */
  @VirtualColumn({ type: 'boolean', query: (run) => `${run}.lease_until < now()` })
  isAbandoned: boolean;

  /** When the run began to read; null before that. */
  @Column({ name: 'reading_since', type: 'timestamptz', nullable: true, select: false })
  readingSince: Date | null;

  @TimeText('reading_since')
  readingSinceText: string | null;

  /** Whether every scope is read whole. */
  @Column({ type: 'boolean', default: true })
  whole: boolean;

  /** Whether a person has accepted the records that will be marked as deleted. */
  @Column({ name: 'accept_deletions', type: 'boolean', default: false })
  acceptDeletions: boolean;

  /** When the credentials that the run reads with were stored; null for a sandbox. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz', nullable: true })
  settingsChangedAt: Date | null;

  /** Records read so far, by type. */
  @Column({ type: 'json', default: {} })
  counts: unknown;

  /** Stored records of the platform at the end, by type. */
  @Column({ type: 'json', nullable: true })
  result: unknown;

  /** The results of the run besides the counts (`RunReport`); null for a run of an earlier release. */
  @Column({ type: 'json', nullable: true })
  report: unknown;

  /** Why the run has failed, as the client may see it. */
  @Column({ type: 'json', nullable: true })
  error: { readonly type: string; readonly message: string } | null;
}
