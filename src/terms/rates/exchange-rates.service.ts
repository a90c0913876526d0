import type { RateQuote } from '@app/mapper';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { changeTerms, type ChangedTerm } from '../agreements/change-terms';
import { getCustomer } from '../../auth/customers.service';
import { ExchangeRateRow } from '../../database/entities/exchange-rate.entity';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';

/** A rate agreed with a customer: one unit of `from` is `rate` units of `to`. */
export interface CustomerRate extends RateQuote {
  readonly setAt: Date;
}

/** The rates that an operator sets for a customer. They come before the official pegs. */
@Injectable()
export class ExchangeRatesService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Sets a rate. The one there was for the pair ends.
   *
   * @param rate decimal text, stored exactly as it is
   * @throws ApiError NOT_FOUND without such a customer
   */
  set(customerId: string, { from, to, rate }: RateQuote): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const at = await changeTerms(store.forCustomer(customerId), termOf(from, to, rate));
      await endRate(store.forCustomer(customerId), from, to, at);
      await store.query(
        `insert into exchange_rates (customer_id, from_currency, to_currency, rate, set_at) values ($1, $2, $3, $4, $5)`,
        [customerId, from, to, rate, at],
      );
    });
  }

  /**
   * The rates of a customer, by pair.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string): Promise<CustomerRate[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store.forCustomer(customerId));
        return customerRates(store.forCustomer(customerId));
      },
      { readOnly: true },
    );
  }

  /**
   * Removes the rate of a pair.
   *
   * @throws ApiError NOT_FOUND without such a customer or rate
   */
  remove(customerId: string, from: string, to: string): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const at = await changeTerms(store.forCustomer(customerId), termOf(from, to, null));
      if (!(await endRate(store.forCustomer(customerId), from, to, at))) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no rate from ${from} to ${to}`);
      }
    });
  }
}

function termOf(from: string, to: string, rate: string | null): ChangedTerm {
  return { kind: 'rate', name: `${from} ${to}`, value: rate };
}

/** Ends the rate of a pair; whether there was one. */
async function endRate(tx: CustomerTransaction, from: string, to: string, at: string): Promise<boolean> {
  const ended = await tx.query(
    `update exchange_rates set ended_at = $4
     where customer_id = $1 and from_currency = $2 and to_currency = $3 and ended_at is null
     returning true as ended`,
    [from, to, at],
  );
  return ended.length > 0;
}

/** The rates in force for a customer, by pair, within the caller's transaction; none where there is no such customer. */
export async function customerRates(tx: CustomerTransaction): Promise<CustomerRate[]> {
  const rows = await tx.store.manager.getRepository(ExchangeRateRow).find({
    where: { customerId: tx.customerId, endedAt: IsNull() },
    order: { fromCurrency: 'ASC', toCurrency: 'ASC' },
  });
  return rows.map(({ fromCurrency: from, toCurrency: to, rate, setAt }) => ({ from, to, rate, setAt }));
}
