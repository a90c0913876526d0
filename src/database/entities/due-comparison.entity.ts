import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_due_comparisons';

/**
 * That a customer's comparisons are behind its records. Customers whose comparisons show everything have no row, nor have demo
 * sessions.
 */
@Entity('due_comparisons')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_due_comparisons_customer',
  onDelete: 'CASCADE',
})
@Index('ix_due_comparisons_due_at', ['dueAt'])
export class DueComparisonRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  /** The change's ID, or, where it is taken, the refresh's. */
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  /** The time of the first change that comparisons may not show. */
  @Column({ type: 'timestamptz' })
  since: Date;

  /** Before that nobody looks at the customer. */
  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;

  /** Whether a refresh began to follow it, so that a change from then on needs a row of its own. */
  @Column({ type: 'boolean', default: false })
  taken: boolean;
}
