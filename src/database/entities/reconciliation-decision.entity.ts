import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/**
 * A person's decision that two records are the same object, or are not. It names the records by their platforms' IDs,
 * the record of the platform with precedence first, without foreign keys: the decision outlives the records' absence.
 */
@Entity('reconciliation_decisions')
@Index(
  'uq_reconciliation_decisions_standing',
  ['customerId', 'entityType', 'platform', 'platformId', 'otherPlatform', 'otherPlatformId'],
  { unique: true, where: 'withdrawn_at is null' },
)
@Index(
  'ix_reconciliation_decisions_other',
  ['customerId', 'entityType', 'otherPlatform', 'otherPlatformId'],
  { where: 'withdrawn_at is null' },
)
@Index('ix_reconciliation_decisions_pair', [
  'customerId',
  'entityType',
  'platform',
  'platformId',
  'otherPlatform',
  'otherPlatformId',
])
@Index('ix_reconciliation_decisions_time', ['customerId', 'decidedAt', 'id'])
@Check('ck_reconciliation_decisions_decision', `"decision" in ('link', 'not_same')`)
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_reconciliation_decisions_customer',
  onDelete: 'CASCADE',
})
export class ReconciliationDecisionRow {
  @PrimaryColumn({
    name: 'customer_id',
    type: 'uuid',
    primaryKeyConstraintName: 'pk_reconciliation_decisions',
  })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_reconciliation_decisions' })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  decision: string;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  @Column({ type: 'text', collation: 'C' })
  platform: string;

  @Column({ name: 'platform_id', type: 'text', collation: 'C' })
  platformId: string;

  @Column({ name: 'other_platform', type: 'text', collation: 'C' })
  otherPlatform: string;

  @Column({ name: 'other_platform_id', type: 'text', collation: 'C' })
  otherPlatformId: string;

  /** The reason in the person's words. */
  @Column({ type: 'text', collation: 'C' })
  reason: string;

  @Column({ name: 'decided_by', type: 'text', collation: 'C' })
  decidedBy: string;

  @Column({ name: 'decided_at', type: 'timestamptz' })
  decidedAt: Date;

  /** Null while the decision is in force. */
  @Column({ name: 'withdrawn_at', type: 'timestamptz', nullable: true })
  withdrawnAt: Date | null;

  @Column({ name: 'withdrawn_reason', type: 'text', collation: 'C', nullable: true })
  withdrawnReason: string | null;

  @Column({ name: 'withdrawn_by', type: 'text', collation: 'C', nullable: true })
  withdrawnBy: string | null;
}
