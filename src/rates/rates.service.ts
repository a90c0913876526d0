import { Injectable } from '@nestjs/common';
import { isCurrency, problemOfQuote } from '@app/mapper';
import type { Handling } from '../common/idempotency/idempotency.service';
import { ApiError, invalidInput } from '../common/errors/api-error';
import { reasonOf, type TermReasonDto } from '../common/validation/term-reason.dto';
import { shownRate } from '../terms/shown-agreements';
import { ExchangeRatesService } from '../terms/rates/exchange-rates.service';
import type { RateDto } from './rates.dto';
import type { RateResponse } from './rates.response';

/** The rates agreed with a customer, over the API. */
@Injectable()
export class RatesService {
  constructor(private readonly rates: ExchangeRatesService) {}

  /** The rates in force, by pair. */
  async list(customerId: string): Promise<readonly RateResponse[]> {
    return (await this.rates.list(customerId)).map(shownRate);
  }

  /** How a rate is set. @throws ApiError 400 for what is no rate, 409 for a customer with too many; UnknownCustomer */
  setting(customerId: string, body: RateDto): Handling<RateResponse> {
    const { from, to, rate } = body;
    const found = problemOfQuote({ from, to, rate });
    if (found !== undefined) throw invalidInput([`${found.member}: ${found.problem}`]);
    return {
      first: async () => shownRate(await this.rates.set(customerId, { from, to, rate }, reasonOf(body))),
    };
  }

  /** How a rate is removed. @throws ApiError 404 where there is none; UnknownCustomer */
  removing(
    customerId: string,
    { from, to }: { readonly from: string; readonly to: string },
    body: TermReasonDto,
  ): Handling<void> {
    return {
      first: () => {
        if (!isCurrency(from) || !isCurrency(to)) throw new ApiError('NOT_FOUND', 'There is no such rate');
        return this.rates.remove(customerId, from, to, reasonOf(body));
      },
    };
  }
}
