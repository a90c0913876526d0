import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { isPlatformName, platformNames, type PlatformName } from '@app/mapper';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, CurrentCustomer, type Caller } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { ApiError, invalidInput } from '../common/errors/api-error';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../common/idempotency/keyed-request';
import { Described } from '../common/openapi/described.decorator';
import type { Paged } from '../common/paging/paging';
import { WhenClientGone } from '../common/request/client-gone';
import { CurrentRequest } from '../common/request/current-request.decorator';
import type { ReplayableResponse } from '../common/response/handler-results';
import { ValidBody, ValidQuery } from '../common/validation/valid-input.decorators';
import type { RequestContext } from '../runtime/tracing/request-context';
import type { CallerResponse } from '../platforms/caller-request';
import { PlatformRequestDto, PlatformRequestsQuery } from './passthrough.dto';
import { PassthroughResponse, PlatformRequestRecord } from './passthrough.response';
import { PassthroughService } from './passthrough.service';

const platformParameter = {
  name: 'platform',
  description: 'A platform.',
  schema: { type: 'string', enum: [...platformNames] },
};

@ApiTags('Connections')
@Controller('platforms/:platform')
export class PassthroughController {
  constructor(
    private readonly passthrough: PassthroughService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'requestPlatform',
    summary: 'Send a request of your own',
    description:
      'Sends a request to a live platform with the credentials of the connection, within the platform’s rate limits and below the connection’s address. The service retries a `GET` where that may help; it sends every other method once and requires an `Idempotency-Key` for it. The response is 200 with the platform’s status, headers and body as data, whatever that status is. The service does not know what a write means: it stores method, path and status, reads the platform’s changes soon afterwards, and shows them like any change that was made on the platform.',
    answer: { type: PassthroughResponse, description: 'What the platform answered.' },
    errors: {
      400: 'The request is malformed, leaves the connection, has a header that may not be sent, or writes without an `Idempotency-Key`.',
      404: 'There is no such platform.',
      409: 'The customer’s connection is a sandbox or has no credentials, the answer to the request with this `Idempotency-Key` was lost, or the key belongs to another request or to one that still runs.',
      502: 'The platform did not answer, or not within 30 seconds (a write: 60), its rate limit allows no call now, or its answer is larger than 1 MB. A write may have been carried out unless the message says that the platform cannot be reached or allows no more calls.',
    },
  })
  @ApiParam(platformParameter)
  @Post('request')
  @HttpCode(200)
  @Requires('passthrough')
  request(
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: RequestContext,
    @RequestKey() key: KeyedRequest | undefined,
    @WhenClientGone() gone: AbortSignal,
    @Param('platform') platform: string,
    @ValidBody() body: PlatformRequestDto,
  ): Promise<CallerResponse | ReplayableResponse> {
    const handling = this.passthrough.once(caller, platformNamed(platform), body, request, gone);
    return this.idempotency.answer(caller.customer, keyFor(body, key), handling);
  }

  @Described({
    operationId: 'listPlatformRequests',
    summary: 'List the requests that were sent',
    description:
      'The writes that were sent to a platform by `POST /platforms/{platform}/request`, the latest first, page by page. Their queries and bodies are not stored. The service keeps the list as long as history.',
    answer: { type: PlatformRequestRecord, isArray: true, paged: 'always', description: 'The requests.' },
    errors: { 404: 'There is no such platform.' },
  })
  @ApiParam(platformParameter)
  @Get('requests')
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @Param('platform') platform: string,
    @ValidQuery() query: PlatformRequestsQuery,
  ): Promise<Paged<readonly PlatformRequestRecord[]>> {
    return this.passthrough.list(customer.id, platformNamed(platform), query);
  }
}

/** @throws ApiError NOT_FOUND */
function platformNamed(name: string): PlatformName {
  if (!isPlatformName(name)) throw new ApiError('NOT_FOUND', 'There is no such platform');
  return name;
}

/**
 * A read needs no key, because it has no effect that could be repeated.
 *
 * @throws ApiError VALIDATION_ERROR for a write without a key
 */
function keyFor({ method }: PlatformRequestDto, key: KeyedRequest | undefined): KeyedRequest | undefined {
  if (method === 'GET') return undefined;
  if (key === undefined)
    throw invalidInput(['the header Idempotency-Key is required for a request that writes']);
  return key;
}
