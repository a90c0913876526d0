import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import type { RateQuote } from '@app/mapper';
import { ExchangeRateRow } from '../../database/entities/exchange-rate.entity';
import { reasonColumns, type StoredReason, type TermReason } from '../agreements/term-reason';
import type { CustomerTransaction } from '../../database/transaction/store';

/** A rate agreed with a customer: one unit of `from` is `rate` units of `to`. */
export interface CustomerRate extends RateQuote, StoredReason {
  readonly setAt: Date;
}

/** The table of exchange rates. A rate applies from its start until its end, so the rates of past times are known. */
@Injectable()
export class ExchangeRatesRepository {
  constructor(@InjectRepository(ExchangeRateRow) private readonly rows: Repository<ExchangeRateRow>) {}

  /** The rates in force for the customer, by pair; none if the customer does not exist. */
  async list(tx: CustomerTransaction): Promise<CustomerRate[]> {
    const rows = await tx.store.manager.withRepository(this.rows).find({
      where: { customerId: tx.customerId, endedAt: IsNull() },
      order: { fromCurrency: 'ASC', toCurrency: 'ASC' },
    });
    return rows.map(({ fromCurrency: from, toCurrency: to, rate, setAt, reason, decidedBy }) => ({
      from,
      to,
      rate,
      setAt,
      reason,
      decidedBy,
    }));
  }

  // Times are text with microseconds here; an entity's Date would lose them.
  /** @param at the database's text of the time from which the rate applies */
  async insert(
    tx: CustomerTransaction,
    { from, to, rate }: RateQuote,
    why: TermReason,
    at: string,
  ): Promise<CustomerRate> {
    const { reason, decidedBy } = reasonColumns(why);
    const [row] = await tx.query<{ setAt: Date }>(
      `insert into exchange_rates (customer_id, from_currency, to_currency, rate, reason, decided_by, set_at)
       values ($1, $2, $3, $4, $5, $6, $7) returning set_at as "setAt"`,
      [from, to, rate, reason, decidedBy, at],
    );
    if (row === undefined) throw new Error('A rate was not stored');
    return { from, to, rate, setAt: row.setAt, reason, decidedBy };
  }

  /** The number of rates in force for the customer. */
  count(tx: CustomerTransaction): Promise<number> {
    return tx.store.manager
      .withRepository(this.rows)
      .countBy({ customerId: tx.customerId, endedAt: IsNull() });
  }

  /** Ends the rate of a pair. @returns whether there was one */
  async end(tx: CustomerTransaction, from: string, to: string, at: string): Promise<boolean> {
    const ended = await tx.query(
      `update exchange_rates set ended_at = $4
       where customer_id = $1 and from_currency = $2 and to_currency = $3 and ended_at is null
       returning true as ended`,
      [from, to, at],
    );
    return ended.length > 0;
  }
}
