import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CustomerRow } from './customer.entity';

/** A rate that was agreed with a customer, from its start until it was replaced or removed. */
@Entity('exchange_rates')
@Index('uq_exchange_rates_present', ['customerId', 'fromCurrency', 'toCurrency'], {
  unique: true,
  where: 'ended_at is null',
})
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

  /** Units of `to` for one `from`: decimal text, exactly as the customer set it. */
  @Column({ type: 'text', collation: 'C' })
  rate: string;

  @PrimaryColumn({
    name: 'set_at',
    type: 'timestamptz',
    default: () => 'now()',
    primaryKeyConstraintName: 'pk_exchange_rates',
  })
  setAt: Date;

  /** Null while it is in force. */
  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  /** Why it was agreed, and by whom; null if not given. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  reason: string | null;

  @Column({ name: 'decided_by', type: 'text', collation: 'C', nullable: true })
  decidedBy: string | null;
}
