import { Inject, Injectable } from '@nestjs/common';
import { DatabaseProbe } from '../database/database-probe';
import { isUpToDate } from '../database/schema-state';
import { UnitOfWork } from '../database/unit-of-work';
import { LOGGER, type Logger } from '../logging/logger';
import type { Readiness } from './probes.answer';

/** Whether this instance can be sent requests. */
@Injectable()
export class ReadinessService {
  private stopping = false;
  /** What has been migrated stays so: it is asked until it is true once. */
  private migrated = false;
  /** Why that could not be told last time. */
  private problem = '';

  constructor(
    private readonly probe: DatabaseProbe,
    private readonly unitOfWork: UnitOfWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** From now on the instance is not ready, whatever else holds. */
  stop(): void {
    this.stopping = true;
  }

  async check(): Promise<Readiness> {
    const database = await this.probe.check();
    this.migrated ||= database && (await this.isMigrated());
    const checks = {
      database: database ? 'ok' : 'fail',
      migrations: this.migrated ? 'ok' : 'fail',
      running: this.stopping ? 'fail' : 'ok',
    } as const;
    const ready = Object.values(checks).every((result) => result === 'ok');
    return { status: ready ? 'ready' : 'not_ready', checks };
  }

  // A database that was never migrated has no table to ask, and a pool without a free connection says nothing: not known
  // to be ready in both cases, and the next probe asks again. Probes come every few seconds, so each problem is told once.
  private async isMigrated(): Promise<boolean> {
    try {
      return await this.unitOfWork.run(isUpToDate, { readOnly: true });
    } catch (error) {
      if (this.problem !== String(error)) {
        this.logger.warn({ err: error }, 'Whether the schema is up to date cannot be told');
      }
      this.problem = String(error);
      return false;
    }
  }
}
