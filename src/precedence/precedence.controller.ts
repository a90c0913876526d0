import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { storedEntityTypes } from '@app/mapper';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { Described } from '../common/openapi/described.decorator';
import { STORAGE_FULL } from '../common/openapi/error-responses';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import type { ReplayableResponse } from '../common/response/handler-results';
import { ValidBody } from '../common/validation/valid-input.decorators';
import { PrecedenceDto } from './precedence.dto';
import { PrecedenceResponse, PrecedenceList } from './precedence.response';
import { PrecedenceService } from './precedence.service';

const entityTypeParameter = ApiParam({
  name: 'entity_type',
  enum: storedEntityTypes,
  description: 'Type of the field.',
});
const fieldParameter = ApiParam({
  name: 'field',
  schema: { type: 'string' },
  description: 'The canonical field.',
});

@ApiTags('Terms')
@Controller('precedence')
export class PrecedenceController {
  constructor(
    private readonly precedence: PrecedenceService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'listPrecedence',
    summary: 'List whose value counts',
    description:
      'The fields for which another order of platforms than the default one is agreed with the customer.',
    answer: { type: PrecedenceList, description: 'The default order, and the fields with another one.' },
  })
  @Get()
  @Requires('read')
  list(@CurrentCustomer() customer: Customer): Promise<PrecedenceList> {
    return this.precedence.list(customer.id);
  }

  @Described({
    operationId: 'setPrecedence',
    summary: 'Say whose value counts for a field',
    description:
      'Sets the order of platforms for a field. Where platforms differ on the field, the value of the first platform that has one counts. The order takes effect at once; no record changes.',
    answer: { type: PrecedenceResponse, description: 'The precedence.' },
    errors: { 404: 'There is no such type or field, or the field takes no precedence.', 429: STORAGE_FULL },
  })
  @entityTypeParameter
  @fieldParameter
  @Put(':entity_type/:field')
  @Requires('administer')
  set(
    @CurrentCustomer() customer: Customer,
    @Param('entity_type') entityType: string,
    @Param('field') field: string,
    @ValidBody() body: PrecedenceDto,
  ): Promise<PrecedenceResponse | ReplayableResponse> {
    const handling = this.precedence.setting(customer.id, { entityType, field }, body);
    return this.idempotency.answer(customer, undefined, handling);
  }

  @Described({
    operationId: 'clearPrecedence',
    summary: 'Go back to the default order for a field',
    description: 'Ends the agreed order. It still applies to statements of earlier times.',
    errors: { 404: 'No order is agreed for this field.', 429: STORAGE_FULL },
  })
  @entityTypeParameter
  @fieldParameter
  @ApiBody({ type: TermReasonDto, required: false })
  @Delete(':entity_type/:field')
  @HttpCode(204)
  @Requires('administer')
  clear(
    @CurrentCustomer() customer: Customer,
    @Param('entity_type') entityType: string,
    @Param('field') field: string,
    @ValidBody() body: TermReasonDto,
  ): Promise<void | ReplayableResponse> {
    const handling = this.precedence.clearing(customer.id, { entityType, field }, body);
    return this.idempotency.answer(customer, undefined, handling);
  }
}
