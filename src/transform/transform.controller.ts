import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Bare } from '../common/response/bare.decorator';
import { CurrentRequest } from '../common/request/current-request.decorator';
import type { JsonText } from '../common/response/handler-results';
import { ValidBody } from '../common/validation/valid-input.decorators';
import { Described } from '../common/openapi/described.decorator';
import { errorMeanings } from '../common/openapi/error-responses';
import type { RequestContext } from '../runtime/tracing/request-context';
import { responseText } from './response-text';
import { TransformResult } from './transform.response';
import { TransformDto } from './transform.dto';
import { TransformService } from './transform.service';

@ApiTags('Transform')
@Controller('transform')
export class TransformController {
  constructor(private readonly transformations: TransformService) {}

  @Described({
    operationId: 'transformRecord',
    summary: 'Preview a translation',
    description:
      'Translates a record of one platform into the shape of another, by way of its canonical form. The service looks nothing up, stores nothing and sends nothing: references are resolved from `context.mappings` and from the record itself.',
    answer: { type: TransformResult, description: 'The record in both forms.' },
    errors: { 422: errorMeanings[422] },
  })
  @Post()
  @HttpCode(200)
  @Requires('read')
  @Bare()
  transform(
    @CurrentCustomer() customer: Customer,
    @CurrentRequest() { requestId }: RequestContext,
    @ValidBody() body: TransformDto,
  ): Promise<JsonText> {
    return this.transformations.transform(customer, body, requestId).then(responseText);
  }
}
