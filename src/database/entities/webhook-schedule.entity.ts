import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_webhook_schedules';

/**
 * When the webhooks of a live connection are checked again. The row outlives its customer, so that the webhooks are
 * found and removed.
 */
@Entity('webhook_schedules')
@Index('ix_webhook_schedules_due', ['dueAt'])
@Index('ix_webhook_schedules_failing', ['customerId', 'platform'], { where: 'failures > 0' })
export class WebhookScheduleRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /**
   * An instance moves this time ahead before it checks, so that no other instance does. `infinity` while the records of the
   * connection have not been read.
   */
  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;

  /** Number of consecutive failed checks. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** When the settings of the last check were made. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz' })
  settingsChangedAt: Date;
}
