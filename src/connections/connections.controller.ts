import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { ReplayableResponse } from '../common/response/handler-results';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { ValidBody } from '../common/validation/valid-input.decorators';
import type { RequestContext } from '../runtime/tracing/request-context';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../common/idempotency/keyed-request';
import { Described } from '../common/openapi/described.decorator';
import { errorMeanings, STORAGE_FULL } from '../common/openapi/error-responses';
import { ConnectDto } from './connect.dto';
import { ConnectionList, ConnectResult } from './connections.response';
import { connectStatus, ConnectionsService } from './connections.service';

@ApiTags('Connections')
@Controller()
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'connectPlatform',
    summary: 'Connect a platform',
    description:
      'Reads the platform’s records and matches them with those of the other platforms by their business keys. The order of connects does not matter. Connecting again synchronises: no record is doubled or lost. Several connects of one platform at once share one reading. The reading continues after a 202 and after the client has disconnected; connecting again joins it.',
    answer: { type: ConnectResult, description: 'The platform is connected.' },
    otherwise: {
      202: 'The platform is still being read, and nothing of it is visible yet. Connect again to wait for it.',
    },
    errors: { 409: errorMeanings[409], 429: STORAGE_FULL },
  })
  @Post('connect')
  @HttpCode(200)
  @Requires('write')
  async connect(
    @CurrentCustomer() customer: Customer,
    @CurrentRequest() request: RequestContext,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: ConnectDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectResult | ReplayableResponse> {
    const handling = this.connections.once(customer, body.platform, request);
    const result = await this.idempotency.answer(customer, key, handling);
    if (!(result instanceof ReplayableResponse)) response.status(connectStatus(result));
    return result;
  }

  @Described({
    operationId: 'listConnections',
    summary: 'List connected platforms',
    description: 'The platforms of the customer, with the number of stored records of each.',
    answer: { type: ConnectionList, description: 'The connections.' },
  })
  @Get('connections')
  @Requires('read')
  async list(@CurrentCustomer() customer: Customer): Promise<ConnectionList> {
    return this.connections.listWithStorage(customer);
  }
}
