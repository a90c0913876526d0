import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_comparisons';

/**
 * The result of comparing an object between two platforms, of which at least one has it. It is derived from the records
 * alone.
 */
@Entity('comparisons')
@Check(
  'ck_comparisons_state',
  `"state" in ('agree', 'disagree', 'only_left', 'only_right', 'ambiguous_left', 'ambiguous_right')`,
)
@Check('ck_comparisons_amounts', `"amounts" in ('equal', 'differ', 'no_rate')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_comparisons_customer',
  onDelete: 'CASCADE',
})
export class ComparisonRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  /** A merge makes the object stale, so this column is not updated by it. */
  @PrimaryColumn({ name: 'object_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  objectId: string;

  /** Of the two platforms, the one with precedence. */
  @PrimaryColumn({ name: 'left_platform', type: 'text', collation: 'C', primaryKeyConstraintName })
  leftPlatform: string;

  @PrimaryColumn({ name: 'right_platform', type: 'text', collation: 'C', primaryKeyConstraintName })
  rightPlatform: string;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  @Column({ type: 'text', collation: 'C' })
  state: string;

  /** The relation of the two amounts; null unless both records have one. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  amounts: string | null;

  /** In minor units. */
  @Column({ name: 'left_amount', type: 'bigint', nullable: true })
  leftAmount: string | null;

  @Column({ name: 'left_currency', type: 'text', collation: 'C', nullable: true })
  leftCurrency: string | null;

  @Column({ name: 'right_amount', type: 'bigint', nullable: true })
  rightAmount: string | null;

  @Column({ name: 'right_currency', type: 'text', collation: 'C', nullable: true })
  rightCurrency: string | null;

  /** The project in an earlier release; no longer written. */
  @Column({ name: 'project_id', type: 'text', collation: 'C', nullable: true })
  projectId: string | null;

  /** The project in which the left record counts. */
  @Column({ name: 'left_project_id', type: 'text', collation: 'C', nullable: true })
  leftProjectId: string | null;

  @Column({ name: 'right_project_id', type: 'text', collation: 'C', nullable: true })
  rightProjectId: string | null;

  /** Since when the platforms disagree; null if they agree. */
  @Column({ name: 'opened_at', type: 'timestamptz', nullable: true })
  openedAt: Date | null;
}
