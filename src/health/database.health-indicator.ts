import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseProbe } from '../database/connection/database-probe';

/** Whether the database answers, on a connection of its own and within 1.2 s. */
@Injectable()
export class DatabaseHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly probe: DatabaseProbe,
  ) {}

  async database() {
    const indicator = this.indicators.check('database');
    return (await this.probe.check()) ? indicator.up() : indicator.down();
  }
}
