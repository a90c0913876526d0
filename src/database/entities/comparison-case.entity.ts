import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_comparison_cases';

/** A difference between two platforms that a person may want to examine. It is derived from the records alone. */
@Entity('comparison_cases')
@Check(
  'ck_comparison_cases_kind',
  `"kind" in ('disagreement', 'only_on', 'ambiguous', 'other_project', 'unreadable', 'not_comparable')`,
)
@Index('ix_comparison_cases_object', ['customerId', 'objectId'])
@Index('ix_comparison_cases_age', ['customerId', 'openedAt', 'id'])
@Index('ix_comparison_cases_weight', ['customerId', 'weight', 'id'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_comparison_cases_customer',
  onDelete: 'CASCADE',
})
export class ComparisonCaseRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  /** A digest of kind, object or record, and field: a recurring case has the same ID. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  id: string;

  @Column({ name: 'object_id', type: 'text', collation: 'C' })
  objectId: string;

  /** For a case of a single record, both sides have the record's platform. */
  @Column({ name: 'left_platform', type: 'text', collation: 'C' })
  leftPlatform: string;

  @Column({ name: 'right_platform', type: 'text', collation: 'C' })
  rightPlatform: string;

  @Column({ type: 'text', collation: 'C' })
  kind: string;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  /** The record of the case; null for a case of two records. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  platform: string | null;

  @Column({ name: 'platform_id', type: 'text', collation: 'C', nullable: true })
  platformId: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  field: string | null;

  @Column({ name: 'project_id', type: 'text', collation: 'C', nullable: true })
  projectId: string | null;

  @Column({ name: 'left_currency', type: 'text', collation: 'C', nullable: true })
  leftCurrency: string | null;

  @Column({ name: 'right_currency', type: 'text', collation: 'C', nullable: true })
  rightCurrency: string | null;

  /**
   * Its contribution to the difference between the left and the right sum, in minor units of the customer's first
   * currency.
   */
  @Column({ type: 'bigint', nullable: true })
  difference: string | null;

  /** The size of the difference, for sorting; -1 without one. */
  @Column({ type: 'bigint' })
  weight: string;

  @Column({ name: 'opened_at', type: 'timestamptz' })
  openedAt: Date;

  /** Values, candidates and problems, in the form of the response. */
  @Column({ type: 'json' })
  detail: unknown;
}
