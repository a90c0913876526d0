import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { ConnectionName } from '../platforms/connector';
import { WEBHOOKS_OF_PLATFORMS, type WebhooksOfPlatforms } from '../platforms/webhooks';
import { CustomerDeleted } from '../database/transaction/customer-deleted';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import { BackgroundTasks } from '../runtime/background/background-tasks';
import { pauseUntilNext } from '../sync/reading/pauses';
import { logOf } from '../runtime/tracing/logged-work';
import { claim, dueConnections, goneConnections, planNext } from './schedules.repository';
import { SubscriptionsService } from './subscriptions.service';
import { WebhookTimes } from './webhook-times';

/** Maximum number of connections per round. */
const LOOK = 100;

/** Connections that one instance processes concurrently. */
const MOST_AT_ONCE = 4;

/** Milliseconds after the first failure. The pause doubles with each further failure, up to an hour. */
const FIRST_PAUSE = 60_000;

/** Keeps the notifications of live platforms subscribed while the service has a public address. */
@Injectable()
export class SubscriptionWorker implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: SubscriptionsService,
    private readonly times: WebhookTimes,
    private readonly background: BackgroundTasks,
    @Inject(WEBHOOKS_OF_PLATFORMS) private readonly platforms: WebhooksOfPlatforms,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.publicUrl === undefined) return;
    this.background.start({
      pause: this.times.look,
      run: (stop) => this.look(stop),
      failure: 'Webhooks could not be looked after',
      context: 'Webhooks',
    });
  }

  /** One round: deletes the subscriptions of removed connections, and checks the connections that are due. */
  async look(stop: AbortSignal): Promise<void> {
    const gone = await this.unitOfWork.run((store) => goneConnections(store, LOOK));
    for (const connection of gone) {
      await this.named(connection, () => this.subscriptions.forget(connection));
    }
    const due = [
      ...(await this.unitOfWork.run((store) => dueConnections(store, [...this.platforms.keys()], LOOK))),
    ];
    const work = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined && !stop.aborted; next = due.shift()) {
        const connection = next;
        await this.named(connection, () => this.refresh(connection, stop));
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  }

  /**
   * Runs the work for one connection. A failure does not affect other connections, and its log line names the
   * connection.
   */
  private async named(connection: ConnectionName, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof CustomerDeleted) return;
      logOf(this.logger, connection).warn(
        { context: 'Webhooks', err: error },
        'Webhooks could not be looked after',
      );
    }
  }

  private async refresh(connection: ConnectionName, stop: AbortSignal): Promise<void> {
    const { customerId } = connection;
    const before = await this.unitOfWork.runFor(customerId, (tx) => claim(tx, connection, this.times.lease));
    if (before === undefined) return;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(this.times.work)]);
    const failures = await this.reconcile(connection, before, signal);
    const pause =
      failures === 0
        ? pauseUntilNext(this.times.check, 0, Math.random())
        : pauseUntilNext(FIRST_PAUSE, failures, Math.random());
    // If this instance stops, another one can continue the interrupted work at once.
    await this.unitOfWork.runFor(customerId, (tx) =>
      planNext(tx, connection, stop.aborted ? 0 : pause, failures),
    );
  }

  /** @returns the number of failures so far */
  private async reconcile(connection: ConnectionName, before: number, signal: AbortSignal): Promise<number> {
    const logger = logOf(this.logger, connection);
    try {
      const { made, renewed, removed } = await this.subscriptions.reconcile(connection, signal);
      if (made + renewed + removed > 0) {
        logger.info({ context: 'Webhooks', made, renewed, removed }, 'webhooks kept');
      }
      return 0;
    } catch (error) {
      // No caller waits for this: the readings continue, and the next round retries.
      logger.warn({ context: 'Webhooks', err: error }, 'Webhooks could not be kept');
      return before + 1;
    }
  }
}
