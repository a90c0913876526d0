import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import {
  claimEndpoint,
  dueEndpoints,
  postponeClaim,
  type ClaimedEndpoint,
  type DueEndpoint,
} from '../webhook-endpoints.repository';
import { Deliverer } from './deliverer';
import { DeliveryTimes } from './delivery-times';

/** Maximum number of endpoints that one look finds. */
const LOOK = 100;

/** Endpoints that one instance delivers to at a time. Those that fail have places of their own, so they take none from others. */
const PLACES = { working: 64, failing: 32 } as const;

/** The same for one customer. */
const PLACES_OF_CUSTOMER = { working: 8, failing: 4 } as const;

/** Milliseconds until an endpoint is looked at again after work that could not be stored. */
const PAUSE = 5_000;

/** Delivers events to endpoints, on each instance. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap {
  private readonly working: Worker<DueEndpoint, ClaimedEndpoint>;
  private readonly failing: Worker<DueEndpoint, ClaimedEndpoint>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deliverer: Deliverer,
    private readonly times: DeliveryTimes,
    private readonly workers: Workers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.working = this.workerOf('working', 'webhook_deliveries');
    this.failing = this.workerOf('failing', 'webhook_retries');
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.working);
    this.workers.start(this.failing);
  }

  private workerOf(kind: keyof typeof PLACES, name: string): Worker<DueEndpoint, ClaimedEndpoint> {
    return this.workers.of<DueEndpoint, ClaimedEndpoint>({
      name,
      context: 'WebhookEndpoints',
      interval: () => this.times.look,
      mostAtOnce: PLACES[kind],
      mostOfCustomer: PLACES_OF_CUSTOMER[kind],
      failure: {
        look: 'Endpoints with events to deliver could not be looked for',
        item: 'Events could not be delivered',
      },
      find: async (full) => ({
        due: await this.unitOfWork.run((store) => dueEndpoints(store, kind === 'failing', full, LOOK), {
          deadlines: 'bulk',
          readOnly: true,
        }),
      }),
      claim: (due) => this.claim(due),
      run: (endpoint, stop) => this.deliver(endpoint, stop),
      describe: ({ customerId }) => ({ customerId }),
    });
  }

  private async claim({ customerId, id }: DueEndpoint): Promise<readonly ClaimedEndpoint[]> {
    const claimed = await this.unitOfWork.runFor(customerId, (tx) =>
      claimEndpoint(tx, id, randomUUID(), this.times.lease),
    );
    return claimed === undefined ? [] : [claimed];
  }

  private async deliver(endpoint: ClaimedEndpoint, stop: AbortSignal): Promise<void> {
    try {
      await this.deliverer.deliver(endpoint, stop);
    } catch (error) {
      await this.unitOfWork
        .runFor(endpoint.customerId, (tx) => postponeClaim(tx, endpoint, PAUSE))
        .catch((later: unknown) => {
          // Its lease ends without us.
          logOf(this.logger, endpoint).warn({ err: later }, 'A claim of an endpoint could not be ended');
        });
      throw error;
    }
  }
}
