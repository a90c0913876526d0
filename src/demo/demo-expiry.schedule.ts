import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { LOGGER, type Logger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { Recurring } from '../schedule/recurring';
import { DemoExpiry } from './demo-expiry';

const SECOND = 1_000;
const TEN_MINUTES = 600_000;

/** Removes expired demo sessions in the background: within ten minutes, or within a tenth of a shorter life. */
@Injectable()
export class DemoExpirySchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private recurring: Recurring | undefined;

  constructor(
    private readonly expiry: DemoExpiry,
    private readonly metrics: Metrics,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.demoSessionTtlMs;
    if (life === 0) return;
    this.recurring = new Recurring(
      Math.min(Math.max(life / 10, SECOND), TEN_MINUTES),
      (stop) => this.remove(life, stop),
      (error) => this.logger.warn({ err: error }, 'Expired demo sessions could not be removed'),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.recurring?.stop();
  }

  private async remove(life: number, stop: AbortSignal): Promise<void> {
    for await (const removed of this.expiry.removeOlderThan(life)) {
      this.metrics.countExpired(removed);
      if (removed > 0) this.logger.info({ sessions: removed }, 'Expired demo sessions were removed');
      if (stop.aborted) return;
    }
  }
}
