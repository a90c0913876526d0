import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger';
import { Recurring } from './recurring';

/** A task that an instance repeats. */
export interface BackgroundTask {
  /** Milliseconds before each run. */
  readonly pause: number;
  /** Receives a signal that aborts when the task must stop, so that a long run can end early. */
  readonly run: (stop: AbortSignal) => Promise<void>;
  /** The log message for a failed run. The next run takes place regardless. */
  readonly failure: string;
  /** The part of the service that is named in the log line. */
  readonly context?: string;
}

/** Runs the background tasks of an instance until it shuts down. */
@Injectable()
export class BackgroundTasks implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly tasks: Recurring[] = [];
  private ending: Promise<unknown> | undefined;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Starts a task. Two runs of a task never overlap. Modules call this method after the application has started. */
  start({ pause, run, failure, context }: BackgroundTask): void {
    const failed = (error: unknown): void => {
      this.logger.warn({ ...(context !== undefined && { context }), err: error }, failure);
    };
    this.tasks.push(new Recurring(pause, run, failed));
  }

  /** Starts no further run while the other parts of the service shut down. */
  onModuleDestroy(): void {
    this.ending = Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Resolves when no run is in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.ending;
  }
}
