import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock';
import { DatabaseProbe } from '../database/database-probe';
import type { Health } from './health.answer';

/** Whether the service can do its work. */
@Injectable()
export class HealthService {
  constructor(
    private readonly probe: DatabaseProbe,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<Health> {
    const works = await this.probe.check();
    return {
      status: works ? 'ok' : 'degraded',
      timestamp: this.clock.now().toISOString(),
      checks: { database: works ? 'ok' : 'fail' },
    };
  }
}
