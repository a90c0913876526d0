import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sync_schedules';

/** When a live connection is read again. */
@Entity('sync_schedules')
@Index('ix_sync_schedules_due', ['syncDueAt'])
@Index('ix_sync_schedules_requested', ['syncDueAt'], { where: 'requested_at is not null' })
@Index('ix_sync_schedules_failing', ['customerId', 'platform'], { where: 'failures > 0' })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_sync_schedules_customer',
  onDelete: 'CASCADE',
})
export class SyncScheduleRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  @Column({ name: 'sync_due_at', type: 'timestamptz' })
  syncDueAt: Date;

  /** When the next run was requested; null if it is only scheduled. */
  @Column({ name: 'requested_at', type: 'timestamptz', nullable: true })
  requestedAt: Date | null;

  /** Whether the next run was requested to read everything. */
  @Column({ type: 'boolean', default: false })
  whole: boolean;

  /** When the last run that read everything began. */
  @Column({ name: 'whole_at', type: 'timestamptz', nullable: true })
  wholeAt: Date | null;

  /** Failed runs since the last one that was published. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** The end of the pause after the last run. */
  @Column({ name: 'not_before', type: 'timestamptz', nullable: true })
  notBefore: Date | null;
}
