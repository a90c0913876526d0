import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A rate that was agreed with a customer. */
@Entity('exchange_rates')
@ForeignKey(() => CustomerRow, ['customerId'], ['id'], {
  name: 'fk_exchange_rates_customer',
  onDelete: 'CASCADE',
})
export class ExchangeRateRow {
  @PrimaryColumn({ name: 'customer_id', type: 'uuid', primaryKeyConstraintName: 'pk_exchange_rates' })
  customerId: string;

  @PrimaryColumn({
    name: 'from_currency',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_exchange_rates',
  })
  fromCurrency: string;

  @PrimaryColumn({
    name: 'to_currency',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'pk_exchange_rates',
  })
  toCurrency: string;

  /** Units of `to` for one `from`: decimal text, exactly as it was set. */
  @Column({ type: 'text', collation: 'C' })
  rate: string;

  @Column({ name: 'set_at', type: 'timestamptz', default: () => 'now()' })
  setAt: Date;
}
