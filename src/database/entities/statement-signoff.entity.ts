import type { PlatformName, StoredEntityType } from '@app/mapper';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';
import { TimeText } from './time-text.column';

const primaryKeyConstraintName = 'pk_statement_signoffs';

/** A figure of a statement as a sign-off keeps it. */
export interface KeptFigure {
  readonly entityType: StoredEntityType;
  readonly part: 'counts' | 'totals';
  /** A state, a sum or the cause of a difference, in the words of the statement. */
  readonly line: string;
  /** The platform that a figure is about; null for a figure of both. */
  readonly platform: PlatformName | null;
  readonly count: number;
  /** In minor units of the currency, as text; null for a figure that only counts. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** A sign-off: a person's name under the figures of a statement. */
@Entity('statement_signoffs')
@Check('ck_statement_signoffs_role', `"role" in ('prepared', 'reviewed')`)
@Check('ck_statement_signoffs_withdrawn', 'num_nulls(withdrawn_at, withdrawn_reason, withdrawn_by) in (0, 3)')
@Index('uq_statement_signoffs_name', ['customerId', 'digest', 'signedByKey'], {
  unique: true,
  where: 'withdrawn_at is null',
})
@Index('ix_statement_signoffs_time', ['customerId', 'signedTime', 'id'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_statement_signoffs_customer',
  onDelete: 'CASCADE',
})
export class StatementSignoffRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  role: 'prepared' | 'reviewed';

  @Column({ type: 'text', collation: 'C' })
  digest: string;

  @Column({ name: 'as_of', type: 'timestamptz', select: false })
  asOfTime: Date;

  @TimeText('as_of')
  asOf: string;

  @Column({ name: 'left_platform', type: 'text', collation: 'C' })
  leftPlatform: PlatformName;

  @Column({ name: 'right_platform', type: 'text', collation: 'C' })
  rightPlatform: PlatformName;

  /** Null for all types. */
  @Column({ name: 'entity_type', type: 'text', collation: 'C', nullable: true })
  entityType: StoredEntityType | null;

  /** Canonical ID at the time of the statement; null for all projects. */
  @Column({ name: 'project_id', type: 'text', collation: 'C', nullable: true })
  projectId: string | null;

  @Column({ type: 'text', collation: 'C' })
  currency: string;

  /** The day up to which documents count, `YYYY-MM-DD`; null for all. */
  @Column({ type: 'date', nullable: true })
  through: string | null;

  @Column({ name: 'signed_by', type: 'text', collation: 'C' })
  signedBy: string;

  /** The name in the form in which names are compared. */
  @Column({ name: 'signed_by_key', type: 'text', collation: 'C' })
  signedByKey: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  note: string | null;

  /** In the order of the statement. */
  @Column({ type: 'jsonb', select: false })
  figures: readonly KeptFigure[];

  @Column({ name: 'signed_at', type: 'timestamptz', select: false })
  signedTime: Date;

  @TimeText('signed_at')
  signedAt: string;

  /** Null while the sign-off stands; then its reason and name of withdrawal are null too. */
  @Column({ name: 'withdrawn_at', type: 'timestamptz', nullable: true, select: false })
  withdrawnTime: Date | null;

  @TimeText('withdrawn_at')
  withdrawnAt: string | null;

  @Column({ name: 'withdrawn_reason', type: 'text', collation: 'C', nullable: true })
  withdrawnReason: string | null;

  @Column({ name: 'withdrawn_by', type: 'text', collation: 'C', nullable: true })
  withdrawnBy: string | null;

  /** Whether its figures were last found to have changed. */
  @Column({ name: 'is_outdated', type: 'boolean', default: false })
  isOutdated: boolean;
}
