import type { RateQuote } from '@app/mapper';
import { Injectable } from '@nestjs/common';
import type { TermReason } from '../agreements/term-reason';
import { changeTerms, type ChangedTerm } from '../agreements/change-terms';
import { getCustomer } from '../../auth/customers/customers.repository';
import { ExchangeRatesRepository, type CustomerRate } from './exchange-rates.repository';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';

/** Rates that a customer may have. Each request that converts reads all of them. */
const MOST_RATES = 500;

/** The rates that an operator sets for a customer. They take precedence over the official pegs. */
@Injectable()
export class ExchangeRatesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly rates: ExchangeRatesRepository,
  ) {}

  /**
   * Sets a rate. The former rate of the pair ends.
   *
   * @param rate decimal text, stored exactly as it is
   * @throws UnknownCustomer; ApiError CONFLICT_ERROR when the customer has all the rates it may have
   */
  set(customerId: string, { from, to, rate }: RateQuote, why: TermReason = {}): Promise<CustomerRate> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, termOf(from, to, rate), why);
      const replaces = await this.rates.end(tx, from, to, at);
      if (!replaces && (await this.rates.count(tx)) >= MOST_RATES) {
        throw new ApiError(
          'CONFLICT_ERROR',
          `The customer has ${MOST_RATES} rates already; remove others first`,
        );
      }
      return this.rates.insert(tx, { from, to, rate }, why, at);
    });
  }

  /**
   * The rates of a customer, by pair.
   *
   * @throws UnknownCustomer
   */
  list(customerId: string): Promise<CustomerRate[]> {
    return this.unitOfWork.run(
      async (store) => {
        const tx = store.forCustomer(customerId);
        await getCustomer(tx);
        return this.rates.list(tx);
      },
      { readOnly: true },
    );
  }

  /**
   * Removes the rate of a pair.
   *
   * @throws UnknownCustomer; ApiError NOT_FOUND without such a rate
   */
  remove(customerId: string, from: string, to: string, why: TermReason = {}): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, termOf(from, to, null), why);
      if (!(await this.rates.end(tx, from, to, at))) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no rate from ${from} to ${to}`);
      }
    });
  }
}

function termOf(from: string, to: string, rate: string | null): ChangedTerm {
  return { kind: 'rate', name: `${from} ${to}`, value: rate };
}
