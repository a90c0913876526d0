import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { taskWork } from '../runtime/background/work';
import { Workers } from '../runtime/background/workers';
import { Metrics } from '../runtime/metrics/metrics';
import type { Waiting } from './attention';
import { AttentionService } from './attention.service';

/** Milliseconds between two polls. Nothing that waits for a person is a matter of seconds. */
const PAUSE_MS = 30_000;

/** Keeps the metrics of what waits for a person. Scrapes show the latest look and ask the database nothing. */
@Injectable()
export class AttentionWatch implements OnModuleInit, OnApplicationBootstrap {
  private latest: readonly Waiting[] | undefined;

  constructor(
    private readonly attention: AttentionService,
    private readonly metrics: Metrics,
    private readonly workers: Workers,
  ) {}

  onModuleInit(): void {
    this.metrics.watchAttention(() => this.latest);
  }

  onApplicationBootstrap(): void {
    const count = taskWork({
      name: 'attention',
      context: 'Attention',
      interval: PAUSE_MS,
      run: () => this.refresh(),
      failure: 'What waits for a person could not be counted',
    });
    this.workers.start(this.workers.of(count));
  }

  /** Counts the items again. If the query fails, the previous counts are dropped. */
  async refresh(): Promise<void> {
    this.latest = await this.attention.look().catch((error: unknown) => {
      this.latest = undefined;
      throw error;
    });
  }
}
