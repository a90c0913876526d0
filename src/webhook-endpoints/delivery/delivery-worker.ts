import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import {
  MOST_ENDPOINTS,
  WebhookEndpointsRepository,
  type ClaimedEndpoint,
  type DueEndpoint,
} from '../webhook-endpoints.repository';
import { Deliverer } from './deliverer';
import { DeliveryTimes } from './delivery-times';
import { SlowBatches } from './slow-batches';

/** Maximum number of endpoints that one poll finds. */
const PAGE = 100;

/**
 * The most endpoints to which one instance delivers at a time. Failing endpoints have slots of their own, so they take
 * none from the others.
 */
const SLOTS = { working: 64, failing: 32 } as const;

/**
 * The most endpoints of one customer at a time: all of them if they work, because an endpoint without a slot waits for
 * the next poll.
 */
const SLOTS_OF_CUSTOMER = { working: MOST_ENDPOINTS, failing: 4 } as const;

/** The most batches of either kind that wait for slow receivers without a slot: of all customers, and of one. */
const SLOW = { all: 128, ofCustomer: MOST_ENDPOINTS } as const;

const FAILED = 'Events could not be delivered';

/** Milliseconds until an endpoint is claimed again after its results could not be stored. */
const PAUSE = 5_000;

/** Delivers events to endpoints, on each instance. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly working: Worker<DueEndpoint, ClaimedEndpoint>;
  private readonly failing: Worker<DueEndpoint, ClaimedEndpoint>;
  /** Whether the last poll found the most endpoints that one poll finds, so that more may be due. */
  private readonly isMoreDue = { working: false, failing: false };
  private readonly slow = {
    working: new SlowBatches(SLOW.all, SLOW.ofCustomer),
    failing: new SlowBatches(SLOW.all, SLOW.ofCustomer),
  };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpoints: WebhookEndpointsRepository,
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

  /** Resolves when no batch is under way. The workers know only the batches that have a slot. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.slow).map((batches) => batches.idle()));
  }

  private workerOf(kind: keyof typeof SLOTS, name: string): Worker<DueEndpoint, ClaimedEndpoint> {
    return this.workers.of<DueEndpoint, ClaimedEndpoint>({
      name,
      context: 'WebhookEndpoints',
      interval: () => this.times.poll,
      mostAtOnce: SLOTS[kind],
      mostOfCustomer: SLOTS_OF_CUSTOMER[kind],
      failure: {
        poll: 'Endpoints with events to deliver could not be looked for',
        item: FAILED,
      },
      find: async (full) => ({ due: await this.find(kind, full) }),
      claim: (due) => this.claim(due),
      // After a batch, most endpoints have nothing left to deliver, and a poll costs more than a batch.
      pollsAfterItems: false,
      run: (endpoint, stop) =>
        this.slow[kind].wait(
          endpoint.customerId,
          this.deliver(kind, endpoint, stop),
          this.times.patience,
          (err) => {
            logOf(this.logger, endpoint).warn({ context: 'WebhookEndpoints', err }, FAILED);
          },
        ),
      describe: ({ customerId }) => ({ customerId }),
    });
  }

  private async find(kind: keyof typeof SLOTS, full: readonly string[]): Promise<readonly DueEndpoint[]> {
    const due = await this.unitOfWork.run(
      (store) => this.endpoints.due(store, kind === 'failing', full, PAGE),
      {
        deadlines: 'bulk',
        readOnly: true,
      },
    );
    this.isMoreDue[kind] = due.length === PAGE;
    return due;
  }

  private async claim({ customerId, id }: DueEndpoint): Promise<readonly ClaimedEndpoint[]> {
    const claimed = await this.unitOfWork.runFor(customerId, (tx) =>
      this.endpoints.claim(tx, id, randomUUID(), this.times.lease),
    );
    return claimed === undefined ? [] : [claimed];
  }

  private async deliver(
    kind: keyof typeof SLOTS,
    endpoint: ClaimedEndpoint,
    stop: AbortSignal,
  ): Promise<void> {
    try {
      const hasMore = await this.deliverer.deliver(endpoint, stop);
      if (hasMore || this.isMoreDue[kind]) this[kind].wake();
      // The endpoint works again, so the other worker delivers the rest.
      if (hasMore && kind === 'failing') this.working.wake();
    } catch (error) {
      await this.unitOfWork
        .runFor(endpoint.customerId, (tx) => this.endpoints.postpone(tx, endpoint, PAUSE))
        .catch((later: unknown) => {
          // The lease ends by itself.
          logOf(this.logger, endpoint).warn({ err: later }, 'A claim of an endpoint could not be ended');
        });
      throw error;
    }
  }
}
