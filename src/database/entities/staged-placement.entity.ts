import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_placements';

/**
 * The placement that reconciliation gives to a record that is not stored yet. Exists only within the reconciling
 * transaction.
 */
@Entity('staged_placements')
export class StagedPlacementRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  @PrimaryColumn({ name: 'platform_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  platformId: string;

  @Column({ name: 'business_key', type: 'text', collation: 'C', nullable: true })
  businessKey: string | null;

  /** The ID with which the record is stored unless `canonical_id` names another one; null if that ID is taken. */
  @Column({ name: 'own_id', type: 'text', collation: 'C', nullable: true })
  ownId: string | null;

  /** The parent within which the record's key is unique; null if the key is unique without a parent, or nowhere. */
  @Column({ name: 'named_in', type: 'text', collation: 'C', nullable: true })
  namedIn: string | null;

  @Column({ name: 'canonical_id', type: 'text', collation: 'C', nullable: true })
  canonicalId: string | null;

  @Column({ name: 'project_canonical_id', type: 'text', collation: 'C', nullable: true })
  projectCanonicalId: string | null;

  @Column({ name: 'customer_canonical_id', type: 'text', collation: 'C', nullable: true })
  customerCanonicalId: string | null;

  @Column({ name: 'contract_canonical_id', type: 'text', collation: 'C', nullable: true })
  contractCanonicalId: string | null;

  @Column({ name: 'invoice_canonical_id', type: 'text', collation: 'C', nullable: true })
  invoiceCanonicalId: string | null;
}
