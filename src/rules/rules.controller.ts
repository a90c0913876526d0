import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { agreedRuleNames } from '../terms/agreements/agreed-rules';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { Described } from '../common/openapi/described.decorator';
import { STORAGE_FULL } from '../common/openapi/error-responses';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import type { ReplayableResponse } from '../common/response/handler-results';
import { ValidBody } from '../common/validation/valid-input.decorators';
import { RuleDto } from './rules.dto';
import { RuleResponse } from './rules.response';
import { RulesService } from './rules.service';

const nameParameter = ApiParam({ name: 'name', enum: agreedRuleNames, description: 'Name of the rule.' });

@ApiTags('Terms')
@Controller('rules')
export class RulesController {
  constructor(
    private readonly rules: RulesService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'listRules',
    summary: 'List the rules',
    description:
      'The rules that the service checks a change against before it writes it, each with its level for the customer. While the level is the default one (`since` is null), a change that moves a record to another parent, such as a payment to another invoice, is made with a warning; it is refused only if `refuse` was agreed.',
    answer: { type: RuleResponse, isArray: true, description: 'All rules.' },
  })
  @Get()
  @Requires('read')
  list(@CurrentCustomer() customer: Customer): Promise<readonly RuleResponse[]> {
    return this.rules.list(customer.id);
  }

  @Described({
    operationId: 'setRule',
    summary: 'Set the level of a rule',
    description: 'The level takes effect with the next change.',
    answer: { type: RuleResponse, description: 'The rule.' },
    errors: { 404: 'There is no such rule.', 429: STORAGE_FULL },
  })
  @nameParameter
  @Put(':name')
  @Requires('administer')
  set(
    @CurrentCustomer() customer: Customer,
    @Param('name') name: string,
    @ValidBody() body: RuleDto,
  ): Promise<RuleResponse | ReplayableResponse> {
    return this.idempotency.answer(customer, undefined, this.rules.setting(customer.id, name, body));
  }

  @Described({
    operationId: 'clearRule',
    summary: 'Go back to the default level of a rule',
    description:
      'Ends the agreed level. By default every rule refuses, with one exception: a change that only puts a record under another one is made with a warning, unless `refuse` is agreed.',
    errors: { 404: 'There is no such rule, or no level is agreed for it.', 429: STORAGE_FULL },
  })
  @nameParameter
  @ApiBody({ type: TermReasonDto, required: false })
  @Delete(':name')
  @HttpCode(204)
  @Requires('administer')
  clear(
    @CurrentCustomer() customer: Customer,
    @Param('name') name: string,
    @ValidBody() body: TermReasonDto,
  ): Promise<void | ReplayableResponse> {
    return this.idempotency.answer(customer, undefined, this.rules.clearing(customer.id, name, body));
  }
}
