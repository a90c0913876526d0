import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sync_schedules';

/** When a live connection is read again. */
@Entity('sync_schedules')
@Index('ix_sync_schedules_failing', ['customerId', 'platform'], { where: 'failures > 0' })
@Index('ix_sync_schedules_due', ['syncDueAt'])
@Index('ix_sync_schedules_requested', ['syncDueAt'], { where: 'requested_at is not null' })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sync_schedules_customer',
  onDelete: 'CASCADE',
})
export class SyncScheduleRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** When the next run is due. */
  @Column({ name: 'sync_due_at', type: 'timestamptz' })
  syncDueAt: Date;

  /** When a run was requested since the last one began; null without a request. */
  @Column({ name: 'requested_at', type: 'timestamptz', nullable: true })
  requestedAt: Date | null;

  /** Whether the next run reads everything. */
  @Column({ type: 'boolean', default: false })
  whole: boolean;

  /** When the last run that read everything began. */
  @Column({ name: 'whole_at', type: 'timestamptz', nullable: true })
  wholeAt: Date | null;

  /** Number of consecutive failed runs. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /**
   * No scheduled run begins before this time, even on request: after each run for a pause, after a failure for longer.
   */
  @Column({ name: 'not_before', type: 'timestamptz', nullable: true })
  notBefore: Date | null;
}
