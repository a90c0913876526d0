import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_absent_moves';

/**
 * A change to the placement of a record while its platform did not have it: the record, or an object that it refers to,
 * was assigned to another object. Merges of objects are recorded as aliases instead.
 */
@Entity('absent_moves')
@Index('ix_absent_moves_object', ['customerId', 'canonicalId'])
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_absent_moves_customer',
  onDelete: 'CASCADE',
})
export class AbsentMoveRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  platform: string;

  @PrimaryColumn({ name: 'entity_type', type: 'text', collation: 'C', primaryKeyConstraintName })
  entityType: string;

  @PrimaryColumn({ name: 'platform_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  platformId: string;

  /** The column of the record whose value changed. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  placement: string;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  at: Date;

  /** The new value. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;
}
