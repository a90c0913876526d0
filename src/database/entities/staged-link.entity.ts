import { Column, Entity, PrimaryColumn } from 'typeorm';

const primaryKeyConstraintName = 'pk_staged_links';

/** A record of a group that is to become one object. Lives within the transaction that reconciles. */
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

  /** Key and parent name the group; the parent is empty where the key alone does. */
  @Column({ name: 'business_key', type: 'text', collation: 'C' })
  businessKey: string;

  @Column({ type: 'text', collation: 'C' })
  parent: string;

  /** The record's object; `+` and the native ID for a record that has none yet. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The platforms on which that object has records. */
  @Column({ type: 'text', array: true, collation: 'C' })
  platforms: string[];

  /** What decisions make one with the object's records, and what they rule out; null where nobody decided anything. */
  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  units: string[] | null;

  @Column({ type: 'text', array: true, collation: 'C', nullable: true })
  against: string[] | null;
}
