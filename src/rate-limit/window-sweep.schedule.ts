import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger';
import { Recurring } from '../schedule/recurring';
import { DatabaseWindowStorage } from './database-window.storage';
import { WINDOW_STORAGE, type WindowStorage } from './window-storage';

/** Pause between two removals, in milliseconds. */
const SWEEP = 60_000;

/**
 * Removes windows that have ended from the database, in the background. The timer is not part of the storage: the throttler
 * provides the storage a second time, and Nest would start its timer twice.
 */
@Injectable()
export class WindowSweepSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private sweeping: Recurring | undefined;

  constructor(
    @Inject(WINDOW_STORAGE) private readonly storage: WindowStorage,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { storage } = this;
    if (!(storage instanceof DatabaseWindowStorage)) return;
    this.sweeping = new Recurring(
      SWEEP,
      () => storage.forgetEnded(),
      (error) => this.logger.warn({ err: error }, 'Ended windows of the rate limit could not be removed'),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }
}
