import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_webhook_schedules';

/** When the webhooks of a live connection are looked at again. Outlives its customer, so that they are found and removed. */
@Entity('webhook_schedules')
export class WebhookScheduleRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  /** Whoever looks moves it ahead first, so that nobody else does. */
  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;

  /** Looks that have failed one after the other. */
  @Column({ type: 'int', default: 0 })
  failures: number;

  /** When the settings were made that the last look was for. */
  @Column({ name: 'settings_changed_at', type: 'timestamptz' })
  settingsChangedAt: Date;
}
