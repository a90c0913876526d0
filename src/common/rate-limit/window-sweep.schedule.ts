import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { taskWork } from '../../runtime/background/work';
import { Workers } from '../../runtime/background/workers';
import { DatabaseWindowStorage } from './database-window.storage';
import { WINDOW_STORAGE, type WindowStorage } from './window-storage';

/** Pause between two deletions, in milliseconds. */
const SWEEP = 60_000;

/**
 * Deletes windows that have ended from the database, in the background. The timer is not part of the storage, because
 * the throttler provides the storage a second time, and Nest would start its timer twice.
 */
@Injectable()
export class WindowSweepSchedule implements OnApplicationBootstrap {
  constructor(
    @Inject(WINDOW_STORAGE) private readonly storage: WindowStorage,
    private readonly workers: Workers,
  ) {}

  onApplicationBootstrap(): void {
    const { storage } = this;
    if (!(storage instanceof DatabaseWindowStorage)) return;
    const sweep = taskWork({
      name: 'rate_limit_windows',
      interval: SWEEP,
      run: () => storage.forgetEnded(),
      failure: 'Ended windows of the rate limit could not be removed',
    });
    this.workers.start(this.workers.of(sweep));
  }
}
