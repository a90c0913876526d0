import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
import { Described } from '../common/openapi/described.decorator';
import { PropagateResult } from './propagate.response';
import type { Paged } from '../common/paging/paging';
import { ValidBody, ValidQuery } from '../common/validation/valid-input.decorators';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../common/idempotency/keyed-request';
import { STORAGE_FULL } from '../common/openapi/error-responses';
import type { ReplayableResponse } from '../common/response/handler-results';
import { PropagationDecisions } from './propagation-decisions.service';
import { PropagationDecisionDto, PropagationsQuery } from './propagations.dto';
import { ListedPropagation } from './propagations.response';
import { PropagationsService } from './propagations.service';

const idSchema = {
  name: 'id',
  description: 'ID of the change: `propagation_id` of its answer.',
  schema: { type: 'string', format: 'uuid' },
};

@ApiTags('Propagate')
@Controller('propagations')
export class PropagationsController {
  constructor(
    private readonly propagations: PropagationsService,
    private readonly decisions: PropagationDecisions,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'listPropagations',
    summary: 'List changes',
    description:
      'Changes that were made through this service, the latest first, page by page, with their present outcomes. A page holds at most 4 MB of JSON. It ends early once the service has searched 1,000 changes for `platform`, or for `state` and `entity_type` of one object. Only a null `next_cursor` marks the last page.',
    answer: { type: ListedPropagation, isArray: true, paged: 'always', description: 'The changes.' },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: PropagationsQuery,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<readonly ListedPropagation[]>> {
    return this.propagations.list(customer.id, query, answer);
  }

  @Described({
    operationId: 'getPropagation',
    summary: 'Read the outcome of a change',
    description:
      'The response to an earlier change, with the present outcomes. A platform that was `pending` or `uncertain` ends as `applied`, `unchanged`, `rejected` or `skipped`, or as `held` if a person must look. The service keeps a change for 400 days after it was decided, unless it is configured otherwise.',
    answer: { type: PropagateResult, description: 'What the change has done so far.' },
    errors: { 404: 'The customer has made no change with this ID.' },
  })
  @ApiParam(idSchema)
  @Get(':id')
  @Requires('read')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<PropagateResult> {
    return this.propagations.get(customer.id, id, answer);
  }

  @Described({
    operationId: 'decidePropagation',
    summary: 'Decide about a write that waits or is held',
    description:
      'Resumes the write of a change to one platform, or ends it, as operators do with `outbox retry` and `outbox discard`. The service stores the decision with its reason, and shows it in `decisions` of the entry and in the history of the object. If it is the write to the platform whose value counts, the writes to the others wait for it again.',
    answer: { type: PropagateResult, description: 'The change after the decision.' },
    errors: {
      404: 'The customer has made no change with this ID.',
      409: 'The write is already decided, or the platform has none; it is to be retried, but the records for which it was were removed since, or its record, or one to which that would refer, belongs to another object since; the service is sending or checking it at this moment; other work on the same records does not end in time; or the `Idempotency-Key` belongs to another request or to one that still runs.',
      429: STORAGE_FULL,
    },
  })
  @ApiParam(idSchema)
  @Post(':id/decisions')
  @HttpCode(200)
  @Requires('administer')
  decide(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: PropagationDecisionDto,
  ): Promise<PropagateResult | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.decisions.once(customer.id, id, body));
  }
}
