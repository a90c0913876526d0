import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** The size of a customer's history and stored responses at the last count. */
@Entity('storage_usage')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_storage_usage_customer',
  onDelete: 'CASCADE',
})
export class StorageUsageRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_storage_usage' })
  customerId: string;

  @Column({ name: 'history_bytes', type: 'bigint' })
  historyBytes: string;

  /** Responses stored under `Idempotency-Key`. */
  @Column({ name: 'answer_bytes', type: 'bigint' })
  answerBytes: string;

  @Column({ name: 'counted_at', type: 'timestamptz' })
  countedAt: Date;
}
