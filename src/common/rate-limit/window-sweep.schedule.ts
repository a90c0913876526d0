import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
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
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const { storage } = this;
    if (!(storage instanceof DatabaseWindowStorage)) return;
    this.background.start({
      pause: SWEEP,
      run: () => storage.forgetEnded(),
      failure: 'Ended windows of the rate limit could not be removed',
    });
  }
}
