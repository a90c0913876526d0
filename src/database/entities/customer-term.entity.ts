import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_customer_terms';

/**
 * A further agreement with a customer, from its start until it was replaced or cleared:
 *
 * - `precedence`: `name` is type and field (`payment.date`), `value` the platforms in their order of precedence;
 * - `rule`: `name` is that of a rule, `value` its level;
 * - `field`: `name` is type and name of an own field (`payment.cost_center`), `value` its definition.
 */
@Entity('customer_terms')
@Check('ck_customer_terms_kind', "kind in ('precedence', 'rule', 'field')")
@Index('uq_customer_terms_present', ['customerId', 'kind', 'name'], { unique: true, where: 'until is null' })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_customer_terms_customer',
  onDelete: 'CASCADE',
})
export class CustomerTermRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  kind: 'precedence' | 'rule' | 'field';

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  name: string;

  @Column({ type: 'json' })
  value: unknown;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  since: Date;

  /** Null while it is in force. */
  @Column({ type: 'timestamptz', nullable: true })
  until: Date | null;

  /** Why it was agreed, and by whom; null if not given. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  reason: string | null;

  @Column({ name: 'decided_by', type: 'text', collation: 'C', nullable: true })
  decidedBy: string | null;
}
