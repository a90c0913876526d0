import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_due_comparisons';

/**
 * Marks that a customer's comparisons are behind its records. Customers whose comparisons are current have no row, nor
 * have demo sessions.
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

  /** The change's ID; for a taken row, the refresh's ID. */
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  /** The time of the first change that the comparisons may not include. */
  @Column({ type: 'timestamptz' })
  since: Date;

  /** Before this time no instance checks the customer. */
  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;

  /** Whether a refresh has begun to process it, so that later changes need a row of their own. */
  @Column({ type: 'boolean', default: false })
  taken: boolean;
}
