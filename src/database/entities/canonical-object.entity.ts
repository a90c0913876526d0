import { Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/**
 * One object of the real world, regardless of the platforms that have it. Its records refer to it in
 * `platform_records`.
 */
@Entity('canonical_objects')
@Index('ix_canonical_objects_extra', ['customerId', 'extraSince'], { where: 'extra_since is not null' })
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_canonical_objects_customer',
  onDelete: 'CASCADE',
})
export class CanonicalObjectRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_canonical_objects' })
  customerId: string;

  /** The canonical ID, prefix included. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'pk_canonical_objects' })
  id: string;

  @Column({ name: 'entity_type', type: 'text', collation: 'C' })
  entityType: string;

  /** Canonical fields that no platform stores. */
  @Column({ type: 'json', default: {} })
  extra: Record<string, unknown>;

  /** The same, with numbers as they were written. */
  @VirtualColumn({ type: 'text', query: (row) => `${row}.extra::text` })
  extraText: string;

  /** Since when those fields have their values; null if they never changed. */
  @Column({ name: 'extra_since', type: 'timestamptz', nullable: true })
  extraSince: Date | null;
}
