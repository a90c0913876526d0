import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Customer } from '../auth/customers/customer';
import { lockForTerms } from '../auth/customers/customers.repository';
import { ApiError, invalidInput } from '../common/errors/api-error';
import { CustomerTimes } from '../common/paging/customer-times';
import { Cursors, Paged, PAGE_SIZE } from '../common/paging/paging';
import { isCount } from '../common/paging/sort-keys';
import { isPathId } from '../common/request/path-id';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import type { CustomerTransaction } from '../database/transaction/store';
import { EventFeed } from '../records/events/event-feed';
import { keptSince } from '../records/events/kept-since';
import { eventIdOf, sequenceOf } from '../records/events/shown-event';
import { Clock } from '../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { AddressRefused, EndpointAddresses } from './address/endpoint-addresses';
import {
  listAttempts,
  makeDeliveriesDue,
  openDeliveries,
  removeDeliveriesBehind,
  requestDelivery,
  type StoredAttempt,
} from './deliveries.repository';
import { noSuchEndpoint } from './endpoint-removal.service';
import { EndpointSecrets } from './endpoint-secrets';
import { shownEndpoint } from './shown-endpoint';
import type { DeliveriesQuery, EndpointChangeDto, EndpointDto, ResendDto } from './webhook-endpoints.dto';
import {
  MOST_ENDPOINTS,
  MOST_OPEN,
  WebhookEndpointsRepository,
  type StoredEndpoint,
} from './webhook-endpoints.repository';
import type { DeliveryResponse, EndpointResponse, ResendResponse } from './webhook-endpoints.response';

const BEYOND_DEMO =
  'A demo session has webhook endpoints only in networks that the operator allows (WEBHOOK_ALLOWED_NETWORKS)';

/** Seconds between two times at which an endpoint is set back. */
const REWIND_PAUSE = 60;

const cursors = new Cursors<readonly [number: number]>('webhook deliveries', [isCount]);

/** The endpoints of a customer, over the API. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly addresses: EndpointAddresses,
    private readonly secrets: EndpointSecrets,
    private readonly feed: EventFeed,
    private readonly customerTimes: CustomerTimes,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @throws ApiError NOT_FOUND */
  async get(customerId: string, id: string): Promise<EndpointResponse> {
    return shownEndpoint(await this.read(customerId, id, (tx) => this.endpoints.find(tx, id)));
  }

  /**
   * Registers an endpoint.
   *
   * @throws ApiError 400 for an address that is refused; 403 for one where a demo session may not have endpoints; 409 if
   *   the customer has the most endpoints, or if the service has no keys to encrypt secrets
   */
  async create(customer: Customer, body: EndpointDto): Promise<EndpointResponse> {
    const { types = [], description = null, enabled = true } = body;
    const url = await this.checkedUrl(customer, body.url);
    const id = randomUUID();
    const customerId = customer.id;
    const position = await this.feed.end(customerId);
    return this.unitOfWork.runFor(customerId, async (tx) => {
      // Registrations follow one another, so that none exceeds the limit.
      await lockForTerms(tx);
      if ((await this.endpoints.count(tx)) >= MOST_ENDPOINTS)
        throw new ApiError('CONFLICT_ERROR', `A customer has at most ${MOST_ENDPOINTS} webhook endpoints`);
      await this.endpoints.insert(
        tx,
        id,
        { url, types: [...new Set(types)], description, enabled },
        position,
      );
      const secret = await this.secrets.renew(tx, id);
      return { ...shownEndpoint(present(await this.endpoints.find(tx, id))), secret };
    });
  }

  /**
   * Changes an endpoint. An endpoint with a new address, or that is enabled again, starts without failures, and its
   * waiting events are due at once. Deliveries under way are made once more, unless only the description changes.
   *
   * @throws ApiError 400 for an address that is refused; 403 for one where a demo session may not have endpoints;
   *   NOT_FOUND
   */
  async change(customer: Customer, id: string, body: EndpointChangeDto): Promise<EndpointResponse> {
    const url = body.url === undefined ? undefined : await this.checkedUrl(customer, body.url);
    return this.write(customer.id, id, async (tx, before) => {
      const { types = before.types, description = before.description, enabled = before.enabled } = body;
      const next = { url: url ?? before.url, types: [...new Set(types)], description, enabled };
      const beginsAnew = next.url !== before.url || (enabled && !before.enabled);
      // A batch under way would be repeated, so one that a new description alone leaves right goes on.
      const endsBatch = beginsAnew || enabled !== before.enabled || !haveSame(next.types, before.types);
      await this.endpoints.update(tx, id, next, { endsBatch, beginsAnew });
      if (beginsAnew) await makeDeliveriesDue(tx, id);
      await this.endpoints.noteOpenDeliveries(tx, id);
      return shownEndpoint(present(await this.endpoints.find(tx, id)));
    });
  }

  /**
   * Gives an endpoint a new secret. For a day, deliveries are signed with the old secret too.
   *
   * @throws ApiError NOT_FOUND; 409 if the service has no keys to encrypt secrets
   */
  async rotate(customerId: string, id: string): Promise<EndpointResponse> {
    return this.write(customerId, id, async (tx, endpoint) => ({
      ...shownEndpoint(endpoint),
      secret: await this.secrets.renew(tx, id),
    }));
  }

  /**
   * The latest delivery attempts of an endpoint, newest first.
   *
   * @throws ApiError NOT_FOUND, 400 for a cursor of another list
   */
  async deliveries(
    customerId: string,
    id: string,
    { limit = PAGE_SIZE.usual, cursor }: DeliveriesQuery,
  ): Promise<Paged<readonly DeliveryResponse[]>> {
    const [before] = cursor === undefined ? [] : cursors.decode(customerId, { id }, cursor);
    const attempts = await this.read(customerId, id, async (tx) =>
      (await this.endpoints.find(tx, id)) === undefined ? undefined : listAttempts(tx, id, before, limit + 1),
    );
    const page = attempts.slice(0, limit);
    const last = page.at(-1);
    const next =
      attempts.length > limit && last !== undefined
        ? cursors.encode(customerId, { id }, [last.number])
        : null;
    return new Paged(
      page.map((one) => shownAttempt(customerId, one)),
      next,
    );
  }

  /**
   * Sends one event again, or all events since a time.
   *
   * @throws ApiError 400 unless exactly one of both is given; NOT_FOUND for the endpoint or the event; 409 if the
   *   endpoint is disabled, has as many other waiting deliveries as it may, or was set back less than a minute ago
   */
  async resend(
    customerId: string,
    id: string,
    { event_id: eventId, since }: ResendDto,
    gone: AbortSignal,
  ): Promise<ResendResponse> {
    if ((eventId === undefined) === (since === undefined))
      throw invalidInput(['give either event_id or since']);
    if (eventId !== undefined) await this.resendOne(customerId, id, eventId, gone);
    if (since !== undefined) await this.resendSince(customerId, id, since, gone);
    return { resending: eventId === undefined ? 'since' : 'event' };
  }

  private async resendOne(customerId: string, id: string, eventId: string, gone: AbortSignal): Promise<void> {
    const sequence = sequenceOf(eventId);
    const known = sequence === undefined ? [] : await this.feed.numbered(customerId, [sequence], 1, gone);
    await this.write(customerId, id, async (tx, endpoint) => {
      if (sequence === undefined || known[0]?.id !== eventId)
        throw new ApiError('NOT_FOUND', 'No event has this ID, or it is kept no more');
      refuseDisabled(endpoint);
      if (endpoint.openDeliveries >= MOST_OPEN && !(await isWaiting(tx, id, sequence)))
        throw new ApiError('CONFLICT_ERROR', `At most ${MOST_OPEN} deliveries of an endpoint may wait`);
      await requestDelivery(tx, id, sequence);
      await this.endpoints.noteOpenDeliveries(tx, id);
    });
  }

  private async resendSince(customerId: string, id: string, text: string, gone: AbortSignal): Promise<void> {
    const since = await this.customerTimes.first(customerId, text);
    // The search in the feed takes long, so a request that is refused anyway does not begin it.
    refuseToRewind(await this.read(customerId, id, (tx) => this.endpoints.find(tx, id)));
    const kept = keptSince(this.environment.historyTtlMs, this.clock.now());
    const position = await this.feed.placeOf(customerId, since, kept, gone);
    await this.write(customerId, id, async (tx, endpoint) => {
      // Another request may have been first.
      refuseToRewind(endpoint);
      await this.endpoints.rewind(tx, id, position, since);
      await removeDeliveriesBehind(tx, id, position);
      await this.endpoints.noteOpenDeliveries(tx, id);
    });
  }

  private async checkedUrl({ kind }: Customer, text: string): Promise<string> {
    try {
      const { url, isInAllowedNetworks } = await this.addresses.check(text);
      // Every visitor may open a session, and could have the service send to hosts of others.
      if (kind === 'demo' && !isInAllowedNetworks) throw new ApiError('AUTHORIZATION_ERROR', BEYOND_DEMO);
      return url.href;
    } catch (error) {
      if (error instanceof AddressRefused) throw invalidInput([`url ${error.message}`]);
      throw error;
    }
  }

  private async read<T>(
    customerId: string,
    id: string,
    work: (tx: CustomerTransaction) => Promise<T | undefined>,
  ): Promise<T> {
    const found = isPathId(id)
      ? await this.unitOfWork.runFor(customerId, work, { readOnly: true })
      : undefined;
    return present(found);
  }

  private async write<T>(
    customerId: string,
    id: string,
    work: (tx: CustomerTransaction, endpoint: StoredEndpoint) => Promise<T>,
  ): Promise<T> {
    if (!isPathId(id)) return present<T>(undefined);
    return this.unitOfWork.runFor(customerId, async (tx) =>
      work(tx, present(await this.endpoints.lock(tx, id))),
    );
  }
}

function present<T>(found: T | undefined): T {
  if (found === undefined) throw noSuchEndpoint();
  return found;
}

function haveSame(some: readonly string[], others: readonly string[]): boolean {
  return isDeepStrictEqual(new Set(some), new Set(others));
}

async function isWaiting(tx: CustomerTransaction, id: string, sequence: number): Promise<boolean> {
  return (await openDeliveries(tx, id)).some((one) => one.sequence === sequence);
}

function refuseDisabled({ enabled }: StoredEndpoint): void {
  if (!enabled) throw new ApiError('CONFLICT_ERROR', 'The webhook endpoint is disabled; enable it first');
}

/** A request costs nothing, and has all events sent again. */
function refuseToRewind(endpoint: StoredEndpoint): void {
  refuseDisabled(endpoint);
  const { secondsSinceRewound: since } = endpoint;
  if (since === null || since >= REWIND_PAUSE) return;
  throw new ApiError(
    'CONFLICT_ERROR',
    'All events since a time can be sent again once a minute to each webhook endpoint',
    { headers: { 'Retry-After': String(Math.ceil(REWIND_PAUSE - since)) } },
  );
}

function shownAttempt(customerId: string, made: StoredAttempt): DeliveryResponse {
  const { number, sequence, causeId, place, type, attempt, at, outcome, status, error, response } = made;
  const isKept = causeId !== null && place !== null;
  return {
    number,
    event_id: isKept ? eventIdOf(customerId, { sequence, causeId, place }) : null,
    type,
    attempt,
    at,
    duration_ms: made.durationMs,
    outcome,
    status,
    error,
    response,
    next_try_at: made.nextAt,
  };
}
