import { Injectable } from '@nestjs/common';
import { getCustomer } from '../auth/api-keys.service';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';

/** A rate agreed with a customer: one unit of `from` is `rate` units of `to`. */
export interface CustomerRate {
  readonly from: string;
  readonly to: string;
  /** Decimal text, exactly as it was set. */
  readonly rate: string;
  readonly set_at: Date;
}

/** The rates an operator sets for a customer; they come before the official pegs. */
@Injectable()
export class ExchangeRatesService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Sets a rate, in place of the one there was for the pair.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  set(customerId: string, from: string, to: string, rate: string): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      await getCustomer(store, customerId);
      await store.query(
        `insert into exchange_rates (customer_id, from_currency, to_currency, rate) values ($1, $2, $3, $4)
         on conflict (customer_id, from_currency, to_currency) do update set rate = excluded.rate, set_at = now()`,
        [customerId, from, to, rate],
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
        return store.query<CustomerRate>(
          `select from_currency as "from", to_currency as "to", rate, set_at
             from exchange_rates where customer_id = $1 order by from_currency, to_currency`,
          [customerId],
        );
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
      const [removed] = await store.query(
        `delete from exchange_rates where customer_id = $1 and from_currency = $2 and to_currency = $3
         returning from_currency`,
        [customerId, from, to],
      );
      if (removed === undefined) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no rate from ${from} to ${to}`);
      }
    });
  }
}
