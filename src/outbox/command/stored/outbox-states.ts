import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { countByStatus } from './stored-commands.repository';
import { Metrics, type OutboxState } from '../../../runtime/metrics/metrics';

/** The number of open and held commands by status, for the metrics. Each scrape of the metrics reads across customers. */
@Injectable()
export class OutboxStates implements OnModuleInit {
  private reading: Promise<OutboxState> | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.watchOutbox(() => this.now());
  }

  /** Shares one query between concurrent callers. */
  now(): Promise<OutboxState> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<OutboxState> {
    const rows = await countByStatus(this.unitOfWork);
    return {
      counts: new Map(rows.map(({ status, count }) => [status, count])),
      oldestSeconds: Math.max(0, ...rows.map(({ oldest }) => oldest ?? 0)),
    };
  }
}
