import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** Since when the history of a customer is complete. A customer whose history was never trimmed has no row. */
@Entity('history_horizons')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_history_horizons_customer',
  onDelete: 'CASCADE',
})
export class HistoryHorizonRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_history_horizons' })
  customerId: string;

  @Column({ name: 'whole_since', type: 'timestamptz' })
  wholeSince: Date;
}
