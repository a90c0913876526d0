import { Controller, Delete, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../auth/guard/access.decorators';
import { CurrentCustomer } from '../../auth/callers/caller';
import type { Customer } from '../../auth/customers/customer';
import { wantsCsv } from '../../common/csv/csv-accepted';
import { CurrentRequest } from '../../common/request/current-request.decorator';
import type { ReplayableResponse, StreamedText } from '../../common/response/handler-results';
import { CurrentResponse, PendingResponse } from '../../common/response/memory/pending-response';
import type { Paged } from '../../common/paging/paging';
import { ValidBody, ValidQuery } from '../../common/validation/valid-input.decorators';
import { Idempotency } from '../../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../../common/idempotency/keyed-request';
import { Described } from '../../common/openapi/described.decorator';
import { STORAGE_FULL } from '../../common/openapi/error-responses';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { DecisionResult, MatchingDecision } from './decisions.response';
import { DecisionDto, DecisionsQuery, WithdrawalDto } from './decisions.dto';
import { DecisionsService } from './decisions.service';

@ApiTags('Reconciliation')
@Controller('reconciliation/decisions')
export class DecisionsController {
  constructor(
    private readonly decisions: DecisionsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'decideMatch',
    summary: 'Decide whether two records are one',
    description:
      'Links two records of different platforms, or rules out that they are one: a linked pair is then parted, and no rule links it again. The decision takes effect at once and takes precedence over every rule. It stands until it is withdrawn, even while a record is deleted on its platform. When a platform is read from another company or sandbox, the service withdraws the decisions about its records, and makes them again when it is read from the former one again. If two objects become one, one ID stays and the other becomes its alias. If an object is parted, its ID stays with the record that had it first. Records whose parents change are matched again. Nothing is sent to a platform. A decision that already stands is returned unchanged.',
    answer: { type: DecisionResult, description: 'The decision and its effects.' },
    errors: {
      404: 'A platform does not have the record.',
      409: 'A standing decision contradicts it, an object would have two records of one platform, a change of one of the objects is still open, other work of the customer does not end in time, or the `Idempotency-Key` belongs to another request or to one that still runs.',
      429: STORAGE_FULL,
    },
  })
  @Post()
  @HttpCode(200)
  @Requires('decide')
  make(
    @CurrentCustomer() customer: Customer,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: DecisionDto,
  ): Promise<DecisionResult | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.decisions.once(customer.id, body));
  }

  @Described({
    operationId: 'listDecisions',
    summary: 'List decisions',
    description:
      'Decisions about which records are the same, latest first. JSON comes in pages; with `Accept: text/csv` all decisions are one file.',
    answer: {
      type: MatchingDecision,
      isArray: true,
      paged: 'always',
      description: 'The decisions.',
      otherTypes: ['text/csv'],
    },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: DecisionsQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<readonly MatchingDecision[]> | StreamedText> {
    return wantsCsv(accept)
      ? this.decisions.file(customer.id, query, requestId, answer)
      : this.decisions.list(customer.id, query, answer);
  }

  @Described({
    operationId: 'withdrawDecision',
    summary: 'Withdraw a decision',
    description:
      'Ends the decision. The rules link again the records that it kept apart, and records that only this decision linked are parted. The decision stays in the list with the reason. A decision that `the service` withdrew, and would make again, is not made again: the person and the reason stand in place of those of the service. Another decision that is already withdrawn is returned unchanged.',
    answer: { type: DecisionResult, description: 'The decision and the effects of its end.' },
    errors: {
      404: 'The decision does not exist.',
      409: 'A change of one of the objects is still open, other work of the customer does not end in time, or the `Idempotency-Key` belongs to another request or to one that still runs.',
      429: STORAGE_FULL,
    },
  })
  @ApiParam({ name: 'id', description: 'ID of the decision.', schema: { type: 'string', format: 'uuid' } })
  @ApiBody({ type: WithdrawalDto })
  @Delete(':id')
  @HttpCode(200)
  @Requires('decide')
  withdraw(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: WithdrawalDto,
  ): Promise<DecisionResult | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.decisions.ending(customer.id, id, body));
  }
}
