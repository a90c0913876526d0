import type { PlatformName, StoredEntityType } from '@app/mapper';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_reconciliation_decisions';

const pair = ['customerId', 'entityType', 'platform', 'platformId', 'otherPlatform', 'otherPlatformId'];

/** A person's decision about two records, by their native IDs. That of the platform with precedence comes first. */
@Entity('reconciliation_decisions')
@Check('ck_reconciliation_decisions_decision', `"decision" in ('link', 'not_same')`)
@Index('uq_reconciliation_decisions_standing', pair, { unique: true, where: 'withdrawn_at is null' })
@Index(
  'ix_reconciliation_decisions_other',
  ['customerId', 'entityType', 'otherPlatform', 'otherPlatformId'],
  { where: 'withdrawn_at is null' },
)
@Index('ix_reconciliation_decisions_pair', pair)
@Index('ix_reconciliation_decisions_time', ['customerId', 'decidedAt', 'id'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_reconciliation_decisions_customer',
  onDelete: 'CASCADE',
})
export class ReconciliationDecisionRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  decision: 'link' | 'not_same';

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: StoredEntityType;

  @Column({ type: 'text', collation: 'C' })
  platform: PlatformName;

  @Column({ name: 'platform_id', type: 'text', collation: 'C' })
  platformId: string;

  @Column({ name: 'other_platform', type: 'text', collation: 'C' })
  otherPlatform: PlatformName;

  @Column({ name: 'other_platform_id', type: 'text', collation: 'C' })
  otherPlatformId: string;

  @Column({ type: 'text', collation: 'C' })
  reason: string;

  @Column({ name: 'decided_by', type: 'text', collation: 'C' })
  decidedBy: string;

  @Column({ name: 'decided_at', type: 'timestamptz' })
  decidedAt: Date;

  /** Null while the decision stands; then its reason and name of withdrawal are null too. */
  @Column({ name: 'withdrawn_at', type: 'timestamptz', nullable: true })
  withdrawnAt: Date | null;

  @Column({ name: 'withdrawn_reason', type: 'text', collation: 'C', nullable: true })
  withdrawnReason: string | null;

  @Column({ name: 'withdrawn_by', type: 'text', collation: 'C', nullable: true })
  withdrawnBy: string | null;

  /** Where the first record was read from (see `sourceOf`), if the service withdrew the decision because a platform's source changed. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  source: string | null;

  /** The same of the other record. */
  @Column({ name: 'other_source', type: 'text', collation: 'C', nullable: true })
  otherSource: string | null;

  /** When the service made such a decision again, or a person gave it up; null while it waits for the sources. */
  @Column({ name: 'renewed_at', type: 'timestamptz', nullable: true })
  renewedAt: Date | null;
}
