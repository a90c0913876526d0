import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { CanonicalObjectRow } from './canonical-object.entity';

/**
 * A record as a platform has it, and what was read out of it to find and match it by.
 *
 * The columns `*_ref` name another record as the platform itself does (its native ID or number); the columns
 * `*_canonical_id` say which canonical object that is, and are null while it is not known.
 */
@Entity('platform_records')
@Unique('uq_platform_records_object', ['customerId', 'canonicalId', 'platform'])
@Index('ix_platform_records_order', ['customerId', 'platform', 'entityType', 'nativeOrder'])
@Index('ix_platform_records_key', ['customerId', 'platform', 'entityType', 'businessKey'])
@ForeignKey(() => CanonicalObjectRow, ['customerId', 'canonicalId'], ['customerId', 'id'], {
  name: 'fk_platform_records_object',
  onDelete: 'CASCADE',
})
export class PlatformRecordRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_platform_records' })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_platform_records' })
  platform: string;

  @PrimaryColumn({
    name: 'entity_type',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_platform_records',
  })
  entityType: string;

  @PrimaryColumn({
    name: 'platform_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_platform_records',
  })
  platformId: string;

  /** The native ID in a form whose byte order is the order of listings: numbers as numbers. */
  @Column({ name: 'native_order', type: 'text', collation: 'C' })
  nativeOrder: string;

  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** Which of the platform's resources holds the record, where one entity type has several. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  variant: string | null;

  /** ISO 4217, if the record has one. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  currency: string | null;

  /** The normalised key that records are matched by; null if the record has none. */
  @Column({ name: 'business_key', type: 'text', collation: 'C', nullable: true })
  businessKey: string | null;

  /** The platform's own number of the record, by which other records may refer to it. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  number: string | null;

  @Column({ name: 'project_ref', type: 'text', collation: 'C', nullable: true })
  projectRef: string | null;

  @Column({ name: 'customer_ref', type: 'text', collation: 'C', nullable: true })
  customerRef: string | null;

  @Column({ name: 'contract_ref', type: 'text', collation: 'C', nullable: true })
  contractRef: string | null;

  @Column({ name: 'invoice_ref', type: 'text', collation: 'C', nullable: true })
  invoiceRef: string | null;

  @Column({ name: 'project_canonical_id', type: 'text', collation: 'C', nullable: true })
  projectCanonicalId: string | null;

  /** Of the API's entity type customer, not the tenant. */
  @Column({ name: 'customer_canonical_id', type: 'text', collation: 'C', nullable: true })
  customerCanonicalId: string | null;

  @Column({ name: 'contract_canonical_id', type: 'text', collation: 'C', nullable: true })
  contractCanonicalId: string | null;

  @Column({ name: 'invoice_canonical_id', type: 'text', collation: 'C', nullable: true })
  invoiceCanonicalId: string | null;

  /**
   * The record exactly as received. Read and write it as text (`payload::text`): the driver parses json, which loses
   * how numbers were written.
   */
  @Column({ type: 'json' })
  payload: unknown;

  /** The record as an open write will make it; null when none is open. */
  @Column({ type: 'json', nullable: true })
  accepted: unknown;
}
