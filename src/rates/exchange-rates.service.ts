import type { RateQuote } from '@app/mapper';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { getCustomer } from '../auth/customers.service';
import { ExchangeRateRow } from '../database/entities/exchange-rate.entity';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';

/** A rate agreed with a customer: one unit of `from` is `rate` units of `to`. */
export interface CustomerRate extends RateQuote {
  readonly setAt: Date;
}

/** The rates that an operator sets for a customer. They come before the official pegs. */
@Injectable()
export class ExchangeRatesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @InjectRepository(ExchangeRateRow) private readonly rates: Repository<ExchangeRateRow>,
  ) {}

  /**
   * Sets a rate, in place of the one there was for the pair.
   *
   * @param rate decimal text, stored exactly as it is
   * @throws ApiError NOT_FOUND without such a customer
   */
  set(customerId: string, { from, to, rate }: RateQuote): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      await getCustomer(store, customerId);
      await this.rows(store).upsert(
        { customerId, fromCurrency: from, toCurrency: to, rate, setAt: () => 'now()' },
        ['customerId', 'fromCurrency', 'toCurrency'],
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
        await getCustomer(store, customerId);
        return customerRates(store, customerId);
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
      await getCustomer(store, customerId);
      const removed = await this.rows(store).delete({ customerId, fromCurrency: from, toCurrency: to });
      if (removed.affected === 0) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no rate from ${from} to ${to}`);
      }
    });
  }

  private rows(store: Store): Repository<ExchangeRateRow> {
    return store.manager.withRepository(this.rates);
  }
}

/** The rates of a customer, by pair, within the caller's transaction; none where there is no such customer. */
export async function customerRates(store: Store, customerId: string): Promise<CustomerRate[]> {
  const rows = await store.manager.getRepository(ExchangeRateRow).find({
    where: { customerId },
    order: { fromCurrency: 'ASC', toCurrency: 'ASC' },
  });
  return rows.map(({ fromCurrency: from, toCurrency: to, rate, setAt }) => ({ from, to, rate, setAt }));
}
