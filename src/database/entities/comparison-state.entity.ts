import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** How far the comparisons of a customer's objects follow the records. One instance at a time works on them. */
@Entity('comparison_states')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_comparison_states_customer',
  onDelete: 'CASCADE',
})
export class ComparisonStateRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_comparison_states' })
  customerId: string;

  /** Of all that comparisons follow from beside the records: terms, connections, platforms, this code. */
  @Column({ type: 'text', collation: 'C' })
  fingerprint: string;

  /** Objects that a change touched until then are compared, or marked as stale. */
  @Column({ name: 'changed_until', type: 'timestamptz' })
  changedUntil: Date;

  /** Objects up to this ID are compared anew, with all others to follow; null when no such walk is under way. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  walked: string | null;

  /** Who works on them; whoever does not stand here writes nothing. */
  @Column({ name: 'lease_owner', type: 'uuid', nullable: true })
  leaseOwner: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', default: () => 'now()' })
  leaseUntil: Date;
}
