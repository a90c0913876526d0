import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { Described } from '../common/openapi/described.decorator';
import { STORAGE_FULL } from '../common/openapi/error-responses';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import type { ReplayableResponse } from '../common/response/handler-results';
import { ValidBody } from '../common/validation/valid-input.decorators';
import { RateDto } from './rates.dto';
import { RateResponse } from './rates.response';
import { RatesService } from './rates.service';

const currency = { schema: { type: 'string' }, description: 'ISO 4217 code.' } as const;

@ApiTags('Terms')
@Controller('rates')
export class RatesController {
  constructor(
    private readonly rates: RatesService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'listRates',
    summary: 'List the agreed rates',
    description:
      'The exchange rates agreed with the customer, by pair. They take precedence over the official pegs, and a rate also serves the opposite direction.',
    answer: { type: RateResponse, isArray: true, description: 'The rates in force.' },
  })
  @Get()
  @Requires('read')
  list(@CurrentCustomer() customer: Customer): Promise<readonly RateResponse[]> {
    return this.rates.list(customer.id);
  }

  @Described({
    operationId: 'setRate',
    summary: 'Set a rate',
    description:
      'Sets the rate of a pair from now on. The previous rate ends, and still applies to statements of earlier times. No record changes.',
    answer: { type: RateResponse, description: 'The rate.' },
    errors: { 409: 'The customer already has the maximum number of rates (500).', 429: STORAGE_FULL },
  })
  @Put()
  @Requires('administer')
  set(
    @CurrentCustomer() customer: Customer,
    @ValidBody() body: RateDto,
  ): Promise<RateResponse | ReplayableResponse> {
    return this.idempotency.answer(customer, undefined, this.rates.setting(customer.id, body));
  }

  @Described({
    operationId: 'removeRate',
    summary: 'Remove a rate',
    description: 'Ends the rate. It still applies to statements of earlier times.',
    errors: { 404: 'No rate is agreed for this pair.', 429: STORAGE_FULL },
  })
  @ApiParam({ ...currency, name: 'from' })
  @ApiParam({ ...currency, name: 'to' })
  @ApiBody({ type: TermReasonDto, required: false })
  @Delete(':from/:to')
  @HttpCode(204)
  @Requires('administer')
  remove(
    @CurrentCustomer() customer: Customer,
    @Param('from') from: string,
    @Param('to') to: string,
    @ValidBody() body: TermReasonDto,
  ): Promise<void | ReplayableResponse> {
    return this.idempotency.answer(customer, undefined, this.rates.removing(customer.id, { from, to }, body));
  }
}
