import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A key with which a customer has sent a request that must have its effect only once. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_age', ['customerId', 'createdAt'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_idempotency_keys_customer',
  onDelete: 'CASCADE',
})
export class IdempotencyKeyRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_idempotency_keys' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_idempotency_keys' })
  key: string;

  /** SHA-256 of method, path and body. */
  @Column({ type: 'text', collation: 'C' })
  digest: string;

  /** The request that owns the key. */
  @Column({ type: 'uuid' })
  owner: string;

  /** Until when that request counts as in progress; null after its end. */
  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** The source of the response: the ID of a change, or of a run. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  subject: string | null;

  /** Status of the response; null while there is none. */
  @Column({ type: 'smallint', nullable: true })
  status: number | null;

  /** The response as JSON text: the content of `data`, or type and message of an error. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  body: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
