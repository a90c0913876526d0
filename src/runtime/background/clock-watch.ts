import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { taskWork } from './work';
import { Workers } from './workers';
import { DatabaseClock } from '../clock/database-clock';

/** Milliseconds between two queries of the database's time. */
const PAUSE = 10_000;

/** Milliseconds by which the process's clock may differ from the database's without a warning. */
export const TOLERATED_SKEW_MS = 1_000;

/** Follows the database's clock, and logs a warning when the clock of this process differs from it. */
@Injectable()
export class ClockWatch implements OnModuleInit, OnApplicationBootstrap {
  private isSkewed = false;

  constructor(
    private readonly clock: DatabaseClock,
    private readonly metrics: Metrics,
    private readonly workers: Workers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.metrics.watchClock(() => this.clock.aheadMs / 1_000);
  }

  onApplicationBootstrap(): void {
    this.logSkew();
    const follow = taskWork({
      name: 'clock',
      context: 'Clock',
      interval: PAUSE,
      run: async () => {
        await this.clock.follow();
        this.logSkew();
      },
      failure: 'The database could not be asked for the time',
    });
    this.workers.start(this.workers.of(follow));
  }

  /** Logs a line when the difference appears, and a line when it disappears. */
  private logSkew(): void {
    const seconds = Math.round(this.clock.aheadMs) / 1_000;
    const isSkewed = Math.abs(this.clock.aheadMs) > TOLERATED_SKEW_MS;
    if (isSkewed === this.isSkewed) return;
    this.isSkewed = isSkewed;
    const context = 'Clock';
    if (!isSkewed) this.logger.info({ context }, "This machine's clock agrees with the database's again");
    else {
      const words = "This machine's clock differs from the database's; the service goes by the database's";
      this.logger.warn({ context, aheadSeconds: seconds }, words);
    }
  }
}
