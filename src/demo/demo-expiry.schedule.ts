import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import { Metrics } from '../runtime/metrics/metrics';
import { BackgroundTasks } from '../runtime/background/background-tasks';
import { DemoExpiry } from './demo-expiry';

const SECOND = 1_000;
const TEN_MINUTES = 600_000;

/** Removes expired demo sessions in the background: within ten minutes, or within a tenth of a shorter life. */
@Injectable()
export class DemoExpirySchedule implements OnApplicationBootstrap {
  constructor(
    private readonly expiry: DemoExpiry,
    private readonly metrics: Metrics,
    private readonly background: BackgroundTasks,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.demoSessionTtlMs;
    if (life === 0) return;
    this.background.start({
      pause: Math.min(Math.max(life / 10, SECOND), TEN_MINUTES),
      run: (stop) => this.remove(life, stop),
      failure: 'Expired demo sessions could not be removed',
    });
  }

  private async remove(life: number, stop: AbortSignal): Promise<void> {
    for await (const removed of this.expiry.removeOlderThan(life)) {
      this.metrics.countExpired(removed);
      if (removed > 0) this.logger.info({ sessions: removed }, 'Expired demo sessions were removed');
      if (stop.aborted) return;
    }
  }
}
