import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { ConnectionName } from '../platforms/connector';
import {
  WEBHOOKS_OF_PLATFORMS,
  type PlatformSubscription,
  type PlatformWebhooks,
  type WebhooksOfPlatforms,
} from '../platforms/webhooks';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { Metrics } from '../runtime/metrics/metrics';
import type { SubscriptionAction } from '../runtime/metrics/webhook-result';
import { addressesOf, hashIn, hashOf, newToken } from './address';
import { planSubscriptions, type SubscriptionPlan } from './plan';
import { WebhookSchedulesRepository, type WebhookChecks } from '../platforms/webhook-schedules.repository';
import { SubscriptionsRepository } from './subscriptions.repository';
import { WebhookTimes } from './webhook-times';

/** The subscriptions of a connection, as they are stored. */
export interface StoredWebhooks extends WebhookChecks {
  readonly confirmed: number;
  /** Those that the platform has not confirmed, or not yet. */
  readonly unconfirmed: number;
}

/** Manages the subscriptions of live connections. No platform is called inside a transaction. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly schedules: WebhookSchedulesRepository,
    @Inject(WEBHOOKS_OF_PLATFORMS) private readonly platforms: WebhooksOfPlatforms,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly times: WebhookTimes,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Brings the subscriptions of a connection to the wanted state: creates, renews and ends them. An error of one
   * subscription does not affect the others.
   *
   * @returns numbers of created, renewed and removed subscriptions, and of failures
   * @throws the first error, after all other work is done
   */
  async reconcile(
    connection: ConnectionName,
    signal: AbortSignal,
  ): Promise<Readonly<Record<SubscriptionAction, number>>> {
    const done = { created: 0, renewed: 0, removed: 0, failed: 0 };
    const { publicUrl } = this.environment;
    const webhooks = this.platforms.get(connection.platform);
    if (publicUrl === undefined || webhooks === undefined) return done;
    const addresses = addressesOf(publicUrl, connection.platform);
    const plan = await this.plan(connection, webhooks, addresses, signal);
    const problems: unknown[] = [];
    const each = async (action: SubscriptionAction, work: () => Promise<void>): Promise<void> => {
      signal.throwIfAborted();
      const outcome = await work().then(
        () => action,
        (error: unknown) => {
          problems.push(error);
          return 'failed' as const;
        },
      );
      done[outcome] += 1;
      this.metrics.countSubscriptions(connection.platform, outcome);
    };
    for (const old of plan.remove) await each('removed', () => webhooks.unsubscribe(connection, old, signal));
    await this.unitOfWork.run((store) =>
      this.subscriptions.forget(store.forCustomer(connection.customerId), connection, plan.forget),
    );
    for (const old of plan.renew) await each('renewed', () => this.renew(connection, webhooks, old, signal));
    for (const topic of plan.subscribe) {
      await each('created', () => this.subscribe(connection, webhooks, topic, addresses, signal));
    }
    if (problems.length > 0) throw problems[0];
    return done;
  }

  /** The state of a connection's subscriptions, without asking the platform. */
  stored(connection: ConnectionName): Promise<StoredWebhooks> {
    return this.unitOfWork.runFor(
      connection.customerId,
      async (tx) => {
        const known = await this.subscriptions.known(tx, connection);
        const confirmed = known.filter(({ isConfirmed }) => isConfirmed).length;
        const checks = await this.schedules.checks(tx, connection);
        return { confirmed, unconfirmed: known.length - confirmed, ...checks };
      },
      { readOnly: true },
    );
  }

  /**
   * Ends the subscriptions of a connection at its platform, for example before its credentials are removed. No other
   * instance creates new ones meanwhile.
   *
   * @returns number of subscriptions
   * @throws PlatformError, ApiError
   */
  async end(connection: ConnectionName, signal: AbortSignal): Promise<number> {
    const webhooks = this.platforms.get(connection.platform);
    const known = await this.unitOfWork.run((store) =>
      this.subscriptions.known(store.forCustomer(connection.customerId), connection),
    );
    if (webhooks === undefined || known.length === 0) return 0;
    await this.unitOfWork.runFor(connection.customerId, (tx) =>
      this.schedules.claim(tx, connection, this.times.lease, true),
    );
    const hashes = new Set(known.map(({ addressHash }) => addressHash));
    const ours = (await webhooks.list(connection, signal)).filter(({ url }) => hashes.has(hashIn(url) ?? ''));
    for (const subscription of ours) await webhooks.unsubscribe(connection, subscription, signal);
    await this.unitOfWork.run((store) =>
      this.subscriptions.forget(store.forCustomer(connection.customerId), connection),
    );
    this.metrics.countSubscriptions(connection.platform, 'removed', ours.length);
    return ours.length;
  }

  /** Deletes the stored subscriptions of a removed connection. */
  async forget(connection: ConnectionName): Promise<void> {
    await this.unitOfWork.run(async (store) => {
      await this.subscriptions.forget(store.forCustomer(connection.customerId), connection);
      await this.schedules.delete(store.forCustomer(connection.customerId), connection);
    });
  }

  private async plan(
    connection: ConnectionName,
    webhooks: PlatformWebhooks,
    addresses: string,
    signal: AbortSignal,
  ): Promise<SubscriptionPlan> {
    const there = await webhooks.list(connection, signal);
    return this.unitOfWork.run(async (store) => {
      const known = await this.subscriptions.known(store.forCustomer(connection.customerId), connection);
      const own = new Set(known.map(({ addressHash }) => addressHash));
      const strange = there.flatMap(({ url }) => hashIn(url) ?? []).filter((hash) => !own.has(hash));
      return planSubscriptions({
        topics: webhooks.topics,
        addresses,
        known,
        others: await this.subscriptions.addressesInUse(store, strange),
        there,
        now: this.clock.now(),
        renewBefore: this.times.renewBefore,
      });
    });
  }

  private async subscribe(
    connection: ConnectionName,
    webhooks: PlatformWebhooks,
    topic: string,
    addresses: string,
    signal: AbortSignal,
  ): Promise<void> {
    const [address, secret] = [newToken(), newToken()];
    const addressHash = hashOf(address);
    // Stored before the platform is called, because the platform verifies the address before it responds.
    await this.unitOfWork.run((store) =>
      this.subscriptions.begin(
        store.forCustomer(connection.customerId),
        connection,
        { topic, addressHash, secretHash: hashOf(secret) },
        this.times.handshake,
      ),
    );
    await this.withHandshake(connection, addressHash, () =>
      webhooks.subscribe(connection, { topic, url: addresses + address, secret }, signal),
    );
  }

  private async renew(
    connection: ConnectionName,
    webhooks: PlatformWebhooks,
    subscription: PlatformSubscription,
    signal: AbortSignal,
  ): Promise<void> {
    const addressHash = hashIn(subscription.url) ?? '';
    await this.unitOfWork.run((store) =>
      this.subscriptions.beginHandshake(
        store.forCustomer(connection.customerId),
        connection,
        addressHash,
        this.times.handshake,
      ),
    );
    await this.withHandshake(connection, addressHash, () => webhooks.renew(connection, subscription, signal));
  }

  private async withHandshake(
    connection: ConnectionName,
    addressHash: string,
    work: () => Promise<void>,
  ): Promise<void> {
    let isConfirmed = false;
    try {
      await work();
      isConfirmed = true;
    } finally {
      await this.unitOfWork.run((store) =>
        this.subscriptions.endHandshake(
          store.forCustomer(connection.customerId),
          connection,
          addressHash,
          isConfirmed,
        ),
      );
    }
  }
}
