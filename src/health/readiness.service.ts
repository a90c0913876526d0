import { Injectable } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseHealthIndicator } from './database.health-indicator';
import { MigrationsHealthIndicator } from './migrations.health-indicator';
import type { Readiness } from './probes.response';
import { checkResultsOf } from './check-results';

/** Whether this instance can be sent requests. */
@Injectable()
export class ReadinessService {
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseHealthIndicator,
    private readonly migrations: MigrationsHealthIndicator,
  ) {}

  /** Makes the instance unready from now on. */
  stop(): void {
    this.stopping = true;
  }

  async check(): Promise<Readiness> {
    const resultOf = await checkResultsOf(this.health, [
      () => this.database.database(),
      () => this.migrations.migrations(),
      () => this.running(),
    ]);
    const checks = {
      database: resultOf('database'),
      migrations: resultOf('migrations'),
      running: resultOf('running'),
    };
    const ready = Object.values(checks).every((result) => result === 'ok');
    return { status: ready ? 'ready' : 'not_ready', checks };
  }

  private running() {
    const indicator = this.indicators.check('running');
    return this.stopping ? indicator.down() : indicator.up();
  }
}
