import { Controller, Get, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { CurrentAnswer, PendingAnswer } from '../common/response/memory/pending-answer';
import { Described } from '../common/openapi/described.decorator';
import { PropagateResult } from './propagate.response';
import { PropagationsService } from './propagations.service';

@ApiTags('Propagate')
@Controller('propagations')
export class PropagationsController {
  constructor(private readonly propagations: PropagationsService) {}

  @Described({
    operationId: 'getPropagation',
    summary: 'Ask what became of a change',
    description:
      'The answer to an earlier change with the outcomes as they are now. A platform that was `pending` or `uncertain` ends as `applied`, `unchanged`, `rejected` or `skipped`, or as `held` where a person must look. Changes are kept for a time after they were decided, 400 days unless the service is set up otherwise.',
    answer: { type: PropagateResult, description: 'What the change has done so far.' },
    errors: { 404: 'The customer has made no change with this ID.' },
  })
  @ApiParam({
    name: 'id',
    description: 'ID of the change: `propagation_id` of its answer.',
    schema: { type: 'string', format: 'uuid' },
  })
  @Get(':id')
  @Requires('read')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @CurrentAnswer() answer: PendingAnswer,
  ): Promise<PropagateResult> {
    return this.propagations.get(customer.id, id, answer);
  }
}
