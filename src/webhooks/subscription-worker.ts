import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { ConnectionName } from '../platforms/connector';
import { WEBHOOKS_OF_PLATFORMS, type WebhooksOfPlatforms } from '../platforms/webhooks';
import { WebhookSchedulesRepository } from '../platforms/webhook-schedules.repository';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import type { Found } from '../runtime/background/work';
import { withinDeadline } from '../runtime/clock/deadline';
import type { Worker } from '../runtime/background/worker';
import { Workers } from '../runtime/background/workers';
import { pauseUntilNext } from '../sync/schedule/pauses';
import { logOf } from '../runtime/tracing/logged-work';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** Maximum number of connections that one poll finds. */
const PAGE = 100;

/** Connections that one instance processes concurrently. */
const MOST_AT_ONCE = 4;

/** The same limit for one customer: one connection for each platform. */
const MOST_OF_CUSTOMER = 2;

/** Milliseconds after the first failure. The pause doubles with each further failure, up to an hour. */
const FIRST_PAUSE = 60_000;

/** A connection whose webhooks this instance checks. */
interface ClaimedCheck {
  readonly connection: ConnectionName;
  /** Number of previous failed checks. */
  readonly failures: number;
}

/** Keeps the notifications of live platforms subscribed while the service has a public address. */
@Injectable()
export class SubscriptionWorker implements OnApplicationBootstrap {
  private readonly checks: Worker<ConnectionName, ClaimedCheck>;
  private readonly leftovers: Worker<ConnectionName>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsService,
    private readonly schedules: WebhookSchedulesRepository,
    private readonly times: WebhookTimes,
    private readonly workers: Workers,
    @Inject(WEBHOOKS_OF_PLATFORMS) platforms: WebhooksOfPlatforms,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failure = 'Webhooks could not be looked after';
    const common = {
      context: 'Webhooks',
      interval: () => times.poll,
      mostAtOnce: MOST_AT_ONCE,
      mostOfCustomer: MOST_OF_CUSTOMER,
      failure: { poll: failure, item: failure },
    };
    this.checks = workers.of<ConnectionName, ClaimedCheck>({
      ...common,
      name: 'webhooks',
      find: async () => ({
        due: await unitOfWork.run((store) => schedules.due(store, [...platforms.keys()], PAGE)),
      }),
      claim: (connection) => this.claim(connection),
      run: (check, stop) => this.refresh(check, stop),
      describe: (item) => ('connection' in item ? item.connection : item),
    });
    this.leftovers = workers.of<ConnectionName>({
      ...common,
      name: 'webhook_cleanup',
      find: () => this.gone(),
      run: (connection) => subscriptions.forget(connection),
      describe: (connection) => connection,
    });
  }

  onApplicationBootstrap(): void {
    if (this.environment.publicUrl === undefined) return;
    this.workers.start(this.leftovers);
    this.workers.start(this.checks);
  }

  /** One round: deletes the subscriptions of removed connections, and checks the connections that are due. */
  async poll(stop: AbortSignal): Promise<void> {
    await this.leftovers.sweep(stop);
    await this.checks.sweep(stop);
  }

  private async gone(after?: ConnectionName): Promise<Found<ConnectionName>> {
    const due = await this.unitOfWork.run((store) => this.schedules.gone(store, PAGE, after));
    return due.length < PAGE ? { due } : { due, more: () => this.gone(due.at(-1)) };
  }

  private async claim(connection: ConnectionName): Promise<readonly ClaimedCheck[]> {
    const failures = await this.unitOfWork.runFor(connection.customerId, (tx) =>
      this.schedules.claim(tx, connection, this.times.lease),
    );
    return failures === undefined ? [] : [{ connection, failures }];
  }

  private async refresh({ connection, failures: before }: ClaimedCheck, stop: AbortSignal): Promise<void> {
    const failures = await withinDeadline(this.times.work, [stop], (signal) =>
      this.reconcile(connection, before, signal),
    );
    const pause =
      failures === 0
        ? pauseUntilNext(this.times.check, 0, Math.random())
        : pauseUntilNext(FIRST_PAUSE, failures, Math.random());
    // If this instance stops, another one can continue the interrupted work at once.
    await this.unitOfWork.runFor(connection.customerId, (tx) =>
      this.schedules.planNext(tx, connection, stop.aborted ? 0 : pause, failures),
    );
  }

  /** @returns the number of failures so far */
  private async reconcile(connection: ConnectionName, before: number, signal: AbortSignal): Promise<number> {
    const logger = logOf(this.logger, connection);
    try {
      const { created, renewed, removed } = await this.subscriptions.reconcile(connection, signal);
      if (created + renewed + removed > 0) {
        logger.info({ context: 'Webhooks', created, renewed, removed }, 'webhooks kept');
      }
      return 0;
    } catch (error) {
      // No caller waits for this: the readings continue, and the next round retries.
      logger.warn({ context: 'Webhooks', err: error }, 'Webhooks could not be kept');
      return before + 1;
    }
  }
}
