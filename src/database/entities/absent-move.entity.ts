import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_absent_moves';

/**
 * What became of the placement of a record while its platform did not have it: it was given to another object, or what it
 * refers to was. A merge of objects is none of these; aliases say that.
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

  /** The column of the record that got another value. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName })
  placement: string;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName })
  at: Date;

  /** The value that it got. */
  @Column({ name: 'canonical_id', type: 'text', collation: 'C' })
  canonicalId: string;
}
