import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger';
import { Recurring } from './recurring';

/** A task that an instance does again and again. */
export interface BackgroundTask {
  /** Milliseconds before each run. */
  readonly pause: number;
  /** Gets a signal that aborts when it should stop, so that a long run can end early. */
  readonly run: (stop: AbortSignal) => Promise<void>;
  /** What the log says when a run fails; the next one comes all the same. */
  readonly failure: string;
  /** The part of the service that the line of the log names. */
  readonly context?: string;
}

/** What an instance does in the background, until it is told to end. */
@Injectable()
export class BackgroundTasks implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly tasks: Recurring[] = [];
  private ending: Promise<unknown> | undefined;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Begins a task, never two of its runs at once. Modules call it when the application has started. */
  start({ pause, run, failure, context }: BackgroundTask): void {
    const failed = (error: unknown): void => {
      this.logger.warn({ ...(context !== undefined && { context }), err: error }, failure);
    };
    this.tasks.push(new Recurring(pause, run, failed));
  }

  /** No run begins any more, while the other parts of the service end. */
  onModuleDestroy(): void {
    this.ending = Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Resolves when no run is under way. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.ending;
  }
}
