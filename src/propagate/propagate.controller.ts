import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { IfMatch, type KnownVersions } from '../common/request/if-match';
import type { ReplayableResponse } from '../common/response/handler-results';
import { ValidBody } from '../common/validation/valid-input.decorators';
import type { RequestContext } from '../runtime/tracing/request-context';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../common/idempotency/keyed-request';
import { Described } from '../common/openapi/described.decorator';
import { errorMeanings, STORAGE_FULL } from '../common/openapi/error-responses';
import { PropagateResult } from './propagate.response';
import { CanonicalChange, PlatformChange, PropagateDto } from './propagate.dto';
import { PropagateService } from './propagate.service';

@ApiTags('Propagate')
@ApiExtraModels(CanonicalChange, PlatformChange)
@Controller('propagate')
export class PropagateController {
  constructor(
    private readonly propagations: PropagateService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'propagateChange',
    summary: 'Change a record everywhere',
    description:
      'Applies a change to a canonical object and to its record on every connected platform. The service refuses a change before it writes anything; the response has a status for each platform. Amounts reach each platform in its own currency. If a connected platform lacks the object and the required fields are known, the change creates a project or customer there, and a contract, invoice or payment if `create_missing` is true. To add an object that no platform has, create its record on a platform and connect that platform again. A change that changes nothing is answered with 200 and empty `updated_fields`.',
    body: {
      required: true,
      description: 'A change in canonical terms or in those of one platform.',
      schema: {
        oneOf: [{ $ref: getSchemaPath(CanonicalChange) }, { $ref: getSchemaPath(PlatformChange) }],
        discriminator: {
          propertyName: 'format',
          mapping: { canonical: getSchemaPath(CanonicalChange), platform: getSchemaPath(PlatformChange) },
        },
      },
    },
    answer: { type: PropagateResult, description: 'What the change did.' },
    errors: {
      404: 'There is no such object, or the platform has no such record.',
      409: 'Another object has the business key already, other work on the same records does not end in time, the object no longer has the version of `If-Match` (then `error.details.conflicts` compares field by field), or the `Idempotency-Key` belongs to another request or to one that still runs.',
      422: errorMeanings[422],
      429: STORAGE_FULL,
    },
  })
  @Post()
  @HttpCode(200)
  @Requires('write')
  propagate(
    @CurrentCustomer() customer: Customer,
    @CurrentRequest() request: RequestContext,
    @RequestKey() key: KeyedRequest | undefined,
    @IfMatch() known: KnownVersions | undefined,
    @ValidBody() body: PropagateDto,
  ): Promise<PropagateResult | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.propagations.once(customer, body, request, { known }));
  }
}
