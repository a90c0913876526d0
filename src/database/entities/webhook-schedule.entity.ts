import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_webhook_schedules';

/**
 * When the subscriptions of a connection are checked again. It has no foreign key, so that the rows of a deleted customer
 * remain and a worker can cancel its subscriptions.
 */
@Entity('webhook_schedules')
@Index('ix_webhook_schedules_due', ['dueAt'])
@Index('ix_webhook_schedules_failing', ['customerId', 'platform'], { where: 'failures > 0' })
export class WebhookScheduleRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** Infinite for a connection that was not read yet. */
  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;

  /** Failed checks since the last one that succeeded. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** When the credentials of the last check were stored. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz' })
  settingsChangedAt: Date;
}
