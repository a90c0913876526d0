import { Inject, Injectable } from '@nestjs/common';
import { databaseTime } from '../../database/transaction/database-time';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { CustomerTransaction } from '../../database/transaction/store';
import { EventFeed, EventsRemoved, type FeedPage } from '../../records/events/event-feed';
import { noteEventsAt } from '../../records/events/events.repository';
import { keptSince } from '../../records/events/kept-since';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Metrics } from '../../runtime/metrics/metrics';
import { logOf } from '../../runtime/tracing/logged-work';
import { AddressRefused, EndpointAddresses } from '../address/endpoint-addresses';
import {
  insertAttempts,
  openDeliveries,
  removeDeliveries,
  saveDeliveries,
  type OpenDelivery,
} from '../deliveries.repository';
import { EndpointSecrets } from '../endpoint-secrets';
import {
  MOST_FAILURES,
  MOST_OPEN,
  WebhookEndpointsRepository,
  type ClaimedEndpoint,
} from '../webhook-endpoints.repository';
import { DeliveryBatch, retriesDue, type BatchOutcome, type Delivery } from './delivery-batch';
import { DeliveryTimes } from './delivery-times';
import { EndpointConnection, MOST_AT_ONCE, type EndpointResponse } from './endpoint-connection';
import { actInOrder } from './in-order';
import { signedHeaders } from './signature';

/** The most events that one batch takes from the feed, and the most deliveries that it attempts again. */
const BATCH = 20;

/** Characters of events from which on a batch takes no further one. Some 350 batches may wait for their receivers. */
const LENGTH = 256 * 1024;

/**
 * Delivers the waiting events of an endpoint, one batch per claim. It holds no database connection while it waits for a
 * receiver.
 */
@Injectable()
export class Deliverer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly feed: EventFeed,
    private readonly addresses: EndpointAddresses,
    private readonly secrets: EndpointSecrets,
    private readonly times: DeliveryTimes,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Loads a batch, sends it, and stores the results if the claim still holds. Events whose results are not stored are
   * sent again.
   *
   * @returns whether the endpoint has further events to send at once
   */
  async deliver(endpoint: ClaimedEndpoint, stop: AbortSignal): Promise<boolean> {
    const open = await this.unitOfWork.runFor(endpoint.customerId, (tx) => openDeliveries(tx, endpoint.id));
    const page = await this.nextEvents(endpoint, stop);
    const events = page?.events ?? [];
    // An event that a person asked for before its turn may be both waiting and the next one: it is sent once, in its
    // turn.
    const due = retriesDue(open)
      .filter((one) => !events.some(({ sequence }) => sequence === one.sequence))
      .slice(0, BATCH);
    const batch = new DeliveryBatch(endpoint, open, page?.next.sequence ?? null, Math.random);
    const deliveries = [
      ...(await this.retriesOf(endpoint, due, batch, stop)),
      ...events.map((event): Delivery => ({ event, object: event.canonicalId, attempts: 0, isNew: true })),
    ];
    if (deliveries.length > 0) await this.send(endpoint, deliveries, batch, stop);
    await this.store(endpoint, batch.outcome(this.clock.now()));
    // Events of the same objects may have waited for the deliveries that were attempted again.
    return batch.mayGoOn && (page?.hasMore === true || due.length > 0);
  }

  /** The deliveries to attempt again, with their events. Drops those whose events are no longer kept. */
  private async retriesOf(
    { customerId }: ClaimedEndpoint,
    due: readonly OpenDelivery[],
    batch: DeliveryBatch,
    stop: AbortSignal,
  ): Promise<readonly Delivery[]> {
    const sequences = due.map(({ sequence }) => sequence);
    const events = await this.feed.numbered(customerId, sequences, LENGTH, stop);
    const length = events.reduce((sum, { text }) => sum + text.length, 0);
    // The feed returns no further event once the text has this length, so later events may be kept all the same.
    const lastRead = length < LENGTH ? Infinity : (events.at(-1)?.sequence ?? 0);
    return due.flatMap((delivery): readonly Delivery[] => {
      const { sequence, object, attempts, isResend } = delivery;
      const event = events.find((one) => one.sequence === sequence);
      if (event !== undefined) return [{ event, object: isResend ? null : object, attempts, isNew: false }];
      if (sequence <= lastRead) batch.drop(delivery, this.clock.now());
      return [];
    });
  }

  /** @returns undefined while the endpoint gets no further events */
  private async nextEvents(endpoint: ClaimedEndpoint, stop: AbortSignal): Promise<FeedPage | undefined> {
    const { openDeliveries: open, failures, customerId, position, types, startsAt: since } = endpoint;
    const isFailing = failures >= MOST_FAILURES;
    if (open >= MOST_OPEN || (isFailing && open > 0)) return undefined;
    const query = {
      types: types.length === 0 ? undefined : types,
      since,
      // Each of them may come to wait, so there is room for all.
      limit: isFailing ? 1 : Math.min(BATCH, MOST_OPEN - open),
      length: LENGTH,
      keptSince: keptSince(this.environment.historyTtlMs, this.clock.now()),
    };
    // The position belongs to the same database as the feed, however often that database was restored.
    const after = position === null ? undefined : { sequence: position, causeId: null };
    try {
      return await this.feed.page(customerId, { ...query, after }, stop);
    } catch (error) {
      if (!(error instanceof EventsRemoved)) throw error;
      this.log(endpoint).warn({ position }, 'events were removed before they were delivered');
      return this.feed.page(customerId, { ...query, after: undefined }, stop);
    }
  }

  private async send(
    endpoint: ClaimedEndpoint,
    deliveries: readonly Delivery[],
    batch: DeliveryBatch,
    stop: AbortSignal,
  ): Promise<void> {
    // Read after the events: so each event is signed with every secret that existed before it happened.
    const secrets = await this.unitOfWork.runFor(endpoint.customerId, (tx) =>
      this.secrets.inForce(tx, endpoint.id),
    );
    const begun = performance.now();
    const inTime = (): boolean => performance.now() - begun < this.times.batch;
    const connection = await this.connect(endpoint);
    try {
      const left = await actInOrder(
        deliveries,
        MOST_AT_ONCE,
        () => !stop.aborted && batch.mayGoOn && inTime(),
        async (delivery) => {
          if (batch.isHeld(delivery)) batch.hold(delivery);
          else await this.sendOne(delivery, connection, secrets, batch, stop);
        },
      );
      for (const delivery of left) batch.leave(delivery);
    } finally {
      if (connection instanceof EndpointConnection) await connection.close();
    }
  }

  private async connect({ url, isOfDemo }: ClaimedEndpoint): Promise<EndpointConnection | AddressRefused> {
    try {
      const checked = await this.addresses.check(url);
      if (isOfDemo && !checked.isInAllowedNetworks)
        return new AddressRefused('leads to a network that demo sessions may not reach');
      return new EndpointConnection(checked, this.times);
    } catch (error) {
      if (error instanceof AddressRefused) return error;
      throw error;
    }
  }

  private async sendOne(
    delivery: Delivery,
    connection: EndpointConnection | AddressRefused,
    secrets: readonly string[],
    batch: DeliveryBatch,
    stop: AbortSignal,
  ): Promise<void> {
    const at = this.clock.now();
    const begun = performance.now();
    const { id, text: body } = delivery.event;
    const headers = signedHeaders({ id, timestamp: Math.floor(at.getTime() / 1_000), body }, secrets);
    let response: EndpointResponse;
    try {
      response =
        connection instanceof AddressRefused
          ? { status: null, error: `The address ${connection.message}`, response: null }
          : await connection.post(headers, body, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      batch.leave(delivery);
      return;
    }
    const durationMs = Math.round(performance.now() - begun);
    this.metrics.countDelivery(batch.record(delivery, { ...response, at, durationMs }));
  }

  private async store(endpoint: ClaimedEndpoint, outcome: BatchOutcome): Promise<void> {
    const isStored = await this.unitOfWork.runFor(endpoint.customerId, async (tx) => {
      const last = await this.endpoints.saveProgress(tx, endpoint, outcome.progress);
      if (last === undefined) return false;
      await removeDeliveries(tx, endpoint.id, outcome.settled);
      await saveDeliveries(tx, endpoint.id, outcome.waiting);
      await insertAttempts(tx, endpoint.id, outcome.attempts, last);
      await this.endpoints.noteOpenDeliveries(tx, endpoint.id);
      if (outcome.progress.disabledReason !== null) await noteDisabled(tx, endpoint, outcome);
      return true;
    });
    if (isStored) this.logChange(endpoint, outcome);
  }

  private logChange(endpoint: ClaimedEndpoint, { progress, attempts }: BatchOutcome): void {
    const logger = this.log(endpoint);
    const last = attempts.at(-1);
    const told = { status: last?.status, reason: last?.error };
    if (progress.disabledReason !== null) logger.warn(told, 'webhook endpoint disabled');
    else if (endpoint.failures === 0 && progress.failures > 0) logger.warn(told, 'webhook endpoint fails');
    else if (endpoint.failures > 0 && progress.failures === 0) logger.info('webhook endpoint works again');
  }

  private log({ customerId, id }: ClaimedEndpoint): Logger {
    return logOf(this.logger, { customerId }).child({ context: 'WebhookEndpoints', endpoint_id: id });
  }
}

async function noteDisabled(
  tx: CustomerTransaction,
  { id }: ClaimedEndpoint,
  { progress }: BatchOutcome,
): Promise<void> {
  const data = {
    endpoint_id: id,
    reason: progress.disabledReason,
    failing_since: progress.failingSince?.toISOString() ?? null,
  };
  noteEventsAt(tx, await databaseTime(tx.store), [{ type: 'webhook_endpoint.disabled', data }]);
}
