import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

const primaryKeyConstraintName = 'pk_stale_comparisons';

/** An object that must be compared anew. It may no longer exist. */
@Entity('stale_comparisons')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_stale_comparisons_customer',
  onDelete: 'CASCADE',
})
export class StaleComparisonRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName })
  customerId: string;

  @PrimaryColumn({ name: 'object_id', type: 'text', collation: 'C', primaryKeyConstraintName })
  objectId: string;
}
