import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** How far the comparisons of a customer's objects follow the records. One instance at a time processes them. */
@Entity('comparison_states')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_comparison_states_customer',
  onDelete: 'CASCADE',
})
export class ComparisonStateRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_comparison_states' })
  customerId: string;

  /** Digest of all inputs of comparisons beside the records: terms, connections, platforms, this code. */
  @Column({ type: 'text', collation: 'C' })
  fingerprint: string;

  /** Objects that were changed up to this time are compared, or marked as stale. */
  @Column({ name: 'changed_until', type: 'timestamptz' })
  changedUntil: Date;

  /** Objects up to this ID are compared anew, and all others will follow; null if no such walk is in progress. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  walked: string | null;

  /** The instance that processes them. No other instance may write. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', default: () => 'now()' })
  leaseUntil: Date;
}
