import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CanonicalObjectRow } from './canonical-object.entity';

/** A canonical ID that was given out before two objects became one, and the object it means since. */
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

  /** The object that it means now. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;

  /** The object that its own one went into, which may have gone into another one since. Null: `canonicalId`. */
  @Column({ name: 'merged_into', type: 'text', collation: 'C', nullable: true })
  mergedInto: string | null;

  /** When that was; null where it is not known, and counts from the beginning. */
  @Column({ type: 'timestamptz', nullable: true, default: () => 'now()' })
  since: Date | null;
}
