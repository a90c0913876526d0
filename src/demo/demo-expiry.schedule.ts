import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { LOGGER, type Logger } from '../runtime/logging/logger';
import { Metrics } from '../runtime/metrics/metrics';
import type { Found } from '../runtime/background/work';
import { Workers } from '../runtime/background/workers';
import type { ExpiredDemo } from '../auth/customers/customers.repository';
import { BATCH, DemoExpiry } from './demo-expiry';

const SECOND = 1_000;
const TEN_MINUTES = 600_000;

/** Removes expired demo sessions in the background: within ten minutes, or within a tenth of a shorter life. */
@Injectable()
export class DemoExpirySchedule implements OnApplicationBootstrap {
  constructor(
    private readonly expiry: DemoExpiry,
    private readonly metrics: Metrics,
    private readonly workers: Workers,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.demoSessionTtlMs;
    if (life === 0) return;
    const failure = 'Expired demo sessions could not be removed';
    const worker = this.workers.of<readonly ExpiredDemo[]>({
      name: 'demo_expiry',
      interval: Math.min(Math.max(life / 10, SECOND), TEN_MINUTES),
      mostAtOnce: 1,
      failure: { poll: failure, item: failure },
      find: () => this.nextBatch(life),
      run: (batch) => this.remove(batch),
    });
    this.workers.start(worker);
  }

  private async nextBatch(life: number, after?: ExpiredDemo): Promise<Found<readonly ExpiredDemo[]>> {
    const batch = await this.expiry.expired(life, after);
    if (batch.length < BATCH) return { due: batch.length === 0 ? [] : [batch] };
    return { due: [batch], more: () => this.nextBatch(life, batch.at(-1)) };
  }

  private async remove(batch: readonly ExpiredDemo[]): Promise<void> {
    const { removed, failures } = await this.expiry.removeBatch(batch);
    this.metrics.countExpired(removed);
    if (removed > 0) this.logger.info({ sessions: removed }, 'Expired demo sessions were removed');
    if (failures.length > 0) throw new AggregateError(failures, 'Demo customers could not be removed');
  }
}
