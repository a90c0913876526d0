import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import type { LeasedWork, UnleasedWork, Work } from './work';
import { Worker } from './worker';

/** The workers of an instance, until it shuts down. */
@Injectable()
export class Workers implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly started: { stop(): Promise<void> }[] = [];
  private ending: Promise<unknown> | undefined;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {}

  /** Creates a worker. It begins to look for work with {@link start}, or when the caller calls its methods. */
  of<Due>(work: UnleasedWork<Due>): Worker<Due>;
  of<Due, Item>(work: LeasedWork<Due, Item>): Worker<Due, Item>;
  of<Due, Item>(work: Work<Due, Item>): Worker<Due, Item> {
    return new Worker(work, this.logger, this.metrics);
  }

  /** Starts a worker. It stops with the service. Modules call this method after the application has started. */
  start<Due, Item>(worker: Worker<Due, Item>): void {
    this.started.push(worker);
    worker.start();
  }

  /** Stops the workers: none starts a further item while the other parts of the service shut down. */
  onModuleDestroy(): void {
    this.ending = Promise.all(this.started.map((worker) => worker.stop()));
  }

  /** Resolves when the workers have ended. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.ending;
  }
}
