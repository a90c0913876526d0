import { Injectable } from '@nestjs/common';
import { HealthCheckService } from '@nestjs/terminus';
import { Clock } from '../runtime/clock/clock';
import { DatabaseHealthIndicator } from './database.health-indicator';
import type { Health } from './health.response';
import { checkResultsOf } from './check-results';

/** Whether the service can do its work. */
@Injectable()
export class HealthService {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: DatabaseHealthIndicator,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<Health> {
    const resultOf = await checkResultsOf(this.health, [() => this.indicator.database()]);
    const database = resultOf('database');
    return {
      status: database === 'ok' ? 'ok' : 'degraded',
      timestamp: this.clock.now().toISOString(),
      checks: { database },
    };
  }
}
