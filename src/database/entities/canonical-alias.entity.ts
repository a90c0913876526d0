import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CanonicalObjectRow } from './canonical-object.entity';

/** A canonical ID that was issued before two objects were merged, and the present object. */
@Entity('canonical_aliases')
@Index('ix_canonical_aliases_object', ['customerId', 'canonicalId'])
@ForeignKey(() => CanonicalObjectRow, ['customerId', 'canonicalId'], ['customerId', 'id'], {
  name: 'fk_canonical_aliases_object',
  onDelete: 'CASCADE',
})
export class CanonicalAliasRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_canonical_aliases' })
  customerId: string;

  @PrimaryColumn({
    name: 'alias_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_canonical_aliases',
  })
  aliasId: string;

  /** The present object. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The object into which this ID's object was merged, which may have been merged again since. Null: `canonicalId`. */
  @Column({ name: 'merged_into', type: 'text', collation: 'C', nullable: true })
  mergedInto: string | null;

  /** The time of the merge; null if it is unknown, which counts as the beginning. */
  @Column({ type: 'timestamptz', nullable: true, default: () => 'now()' })
  since: Date | null;
}
