import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** The driver returns 64-bit numbers as text. These stay far below what a number holds exactly. */
const transformer = { from: Number, to: (bytes: number) => bytes };

/** A customer's storage beside its present records, in bytes, as of its last count. */
@Entity('storage_usage')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_storage_usage_customer',
  onDelete: 'CASCADE',
})
export class StorageUsageRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_storage_usage' })
  customerId: string;

  /** Former versions of records, the changes that made them, and the outcomes of changes. */
  @Column({ name: 'history_bytes', type: 'bigint', transformer })
  historyBytes: number;

  /** Answers kept under `Idempotency-Key`. */
  @Column({ name: 'answer_bytes', type: 'bigint', transformer })
  responseBytes: number;

  @Column({ name: 'counted_at', type: 'timestamptz' })
  countedAt: Date;
}
