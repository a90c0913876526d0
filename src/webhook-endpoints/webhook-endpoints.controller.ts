import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Described } from '../common/openapi/described.decorator';
import type { Paged } from '../common/paging/paging';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
import { ValidBody, ValidQuery } from '../common/validation/valid-input.decorators';
import { EndpointListingService } from './endpoint-listing.service';
import { EndpointRemovalService } from './endpoint-removal.service';
import { DeliveriesQuery, EndpointChangeDto, EndpointDto, ResendDto } from './webhook-endpoints.dto';
import { DeliveryResponse, EndpointResponse, ResendResponse } from './webhook-endpoints.response';
import { WebhookEndpointsService } from './webhook-endpoints.service';

const id = { name: 'id', description: 'ID of the endpoint.', schema: { type: 'string' } } as const;
const MISSING = 'No endpoint has this ID.';
const BEYOND_DEMO =
  'The key lacks the permission that the message names, or a demo session asks for an address outside the networks that the operator allows.';

@ApiTags('Events')
@Controller('webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly listing: EndpointListingService,
    private readonly removal: EndpointRemovalService,
  ) {}

  @Described({
    operationId: 'listWebhookEndpoints',
    summary: 'List the endpoints',
    description:
      'The addresses to which events are delivered, the oldest first. Their secrets are not shown.',
    answer: { type: EndpointResponse, isArray: true, description: 'The endpoints.' },
  })
  @Get()
  @Requires('administer')
  list(@CurrentCustomer() customer: Customer): Promise<readonly EndpointResponse[]> {
    return this.listing.list(customer.id);
  }

  @Described({
    operationId: 'createWebhookEndpoint',
    summary: 'Register an endpoint',
    description:
      'Registers an address. The service delivers events from now on to it by the Standard Webhooks specification: at least once, and in order for each object. The body of a delivery is the event as `GET /events` shows it. The answer holds the secret that verifies deliveries; it is not shown again.',
    answer: { type: EndpointResponse, description: 'The endpoint, with its secret.' },
    errors: {
      400: 'The body is invalid, or the address leads to a network that is not public.',
      403: BEYOND_DEMO,
      409: 'The customer already has the maximum number of endpoints (20), or the service has no key to encrypt a secret with.',
    },
  })
  @Post()
  @HttpCode(200)
  @Requires('administer', 'read')
  create(@CurrentCustomer() customer: Customer, @ValidBody() body: EndpointDto): Promise<EndpointResponse> {
    return this.endpoints.create(customer, body);
  }

  @Described({
    operationId: 'getWebhookEndpoint',
    summary: 'Read an endpoint',
    description:
      'The address to which events are delivered, and whether deliveries succeed. The secret is not shown.',
    answer: { type: EndpointResponse, description: 'The endpoint.' },
    errors: { 404: MISSING },
  })
  @ApiParam(id)
  @Get(':id')
  @Requires('administer')
  get(@CurrentCustomer() customer: Customer, @Param('id') id: string): Promise<EndpointResponse> {
    return this.endpoints.get(customer.id, id);
  }

  @Described({
    operationId: 'changeWebhookEndpoint',
    summary: 'Change an endpoint',
    description:
      'Changes the members that the body names. An endpoint that is enabled again continues where it stopped; deliveries that wait for another attempt are attempted at once.',
    answer: { type: EndpointResponse, description: 'The endpoint.' },
    errors: {
      400: 'The body is invalid, or the address leads to a network that is not public.',
      403: BEYOND_DEMO,
      404: MISSING,
    },
  })
  @ApiParam(id)
  @Patch(':id')
  @Requires('administer', 'read')
  change(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @ValidBody() body: EndpointChangeDto,
  ): Promise<EndpointResponse> {
    return this.endpoints.change(customer, id, body);
  }

  @Described({
    operationId: 'deleteWebhookEndpoint',
    summary: 'Remove an endpoint',
    description:
      'Removes the endpoint. Nothing more is delivered to it, but a delivery under way may still arrive.',
    emptyBody: true,
    errors: { 404: MISSING },
  })
  @ApiParam(id)
  @Delete(':id')
  @HttpCode(204)
  @Requires('administer')
  remove(@CurrentCustomer() customer: Customer, @Param('id') id: string): Promise<void> {
    return this.removal.remove(customer.id, id);
  }

  @Described({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of an endpoint',
    description:
      'Makes a new secret and shows it once. For 24 hours deliveries are also signed with the old secret, so that the receiver can change over. A secret that was replaced earlier ends at once.',
    answer: { type: EndpointResponse, description: 'The endpoint, with its new secret.' },
    emptyBody: true,
    errors: { 404: MISSING, 409: 'The service has no key to encrypt a secret with.' },
  })
  @ApiParam(id)
  @Post(':id/rotate')
  @HttpCode(200)
  @Requires('administer')
  rotate(@CurrentCustomer() customer: Customer, @Param('id') id: string): Promise<EndpointResponse> {
    return this.endpoints.rotate(customer.id, id);
  }

  @Described({
    operationId: 'listWebhookDeliveries',
    summary: 'List the attempts to deliver to an endpoint',
    description:
      'The attempts to deliver events to the endpoint, with its responses, the latest first. The latest 500 attempts are kept.',
    answer: { type: DeliveryResponse, isArray: true, paged: 'always', description: 'The attempts.' },
    errors: { 404: MISSING },
  })
  @ApiParam(id)
  @Get(':id/deliveries')
  @Requires('administer')
  deliveries(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @ValidQuery() query: DeliveriesQuery,
  ): Promise<Paged<readonly DeliveryResponse[]>> {
    return this.endpoints.deliveries(customer.id, id, query);
  }

  @Described({
    operationId: 'resendWebhookEvents',
    summary: 'Send events again',
    description:
      'Sends events again: either one event by its ID, whatever its type, or all events since a time of the types that the endpoint gets. The events keep their IDs.',
    answer: {
      type: ResendResponse,
      description: 'Whether one event is sent again, or all events since a time.',
    },
    errors: {
      404: 'No endpoint has this ID, or the event does not exist or is no longer kept.',
      409: 'The endpoint is disabled, or the maximum number of its deliveries (100) already waits, and the requested event is not among them. Or all events since a time were sent again less than a minute ago; then `Retry-After` is the number of seconds to wait.',
    },
  })
  @ApiParam(id)
  @Post(':id/resend')
  @HttpCode(200)
  @Requires('administer', 'read')
  resend(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @ValidBody() body: ResendDto,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<ResendResponse> {
    return this.endpoints.resend(customer.id, id, body, answer.gone);
  }
}
