import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_links';

/** A record of a group that is to become one object. Exists only within the reconciling transaction. */
@Entity('staged_links')
export class StagedLinkRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid', primaryKeyConstraintName })
  runId: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  @PrimaryColumn({ name: 'platform_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  platformId: string;

  /** Key and parent identify the group; the parent is empty if the key alone does. */
  @Column({ name: 'business_key', type: 'text', collation: 'C' })
  businessKey: string;

  @Column({ type: 'text', collation: 'C' })
  parent: string;

  /** The record's object; `+` and the native ID for a record without an object. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The platforms on which that object has records. */
  @Column({ type: 'text', array: true, collation: 'C' })
  platforms: string[];

  /**
   * The clusters of the object's records under must-link decisions, and what cannot-link decisions exclude; null
   * without decisions.
   */
  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  units: string[] | null;

  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  against: string[] | null;
}
