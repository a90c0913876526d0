import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_sync_schedules';

/** When a live connection is to be read again. */
@Entity('sync_schedules')
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

  /** When a run was asked for since the last one began; null when none was. */
  @Column({ name: 'requested_at', type: 'timestamptz', nullable: true })
  requestedAt: Date | null;

  /** Whether the next run is to read everything. */
  @Column({ type: 'boolean', default: false })
  whole: boolean;

  /** When the last run that read everything began. */
  @Column({ name: 'whole_at', type: 'timestamptz', nullable: true })
  wholeAt: Date | null;

  /** Runs that have failed one after the other. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** No run of the schedule begins before, even if one is asked for: after each run for a pause, after a failure for longer. */
  @Column({ name: 'not_before', type: 'timestamptz', nullable: true })
  notBefore: Date | null;
}
