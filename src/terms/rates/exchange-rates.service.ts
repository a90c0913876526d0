import type { RateQuote } from '@app/mapper';
import { Injectable } from '@nestjs/common';
import { changeTerms, type ChangedTerm } from '../agreements/change-terms';
import { getCustomer } from '../../auth/customers/customers.repository';
import { ExchangeRatesRepository, type CustomerRate } from './exchange-rates.repository';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';

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
   * @throws ApiError NOT_FOUND without such a customer
   */
  set(customerId: string, { from, to, rate }: RateQuote): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, termOf(from, to, rate));
      await this.rates.end(tx, from, to, at);
      await this.rates.insert(tx, { from, to, rate }, at);
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
   * @throws ApiError NOT_FOUND without such a customer or rate
   */
  remove(customerId: string, from: string, to: string): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, termOf(from, to, null));
      if (!(await this.rates.end(tx, from, to, at))) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no rate from ${from} to ${to}`);
      }
    });
  }
}

function termOf(from: string, to: string, rate: string | null): ChangedTerm {
  return { kind: 'rate', name: `${from} ${to}`, value: rate };
}
