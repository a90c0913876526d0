import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseProbe } from '../database/connection/database-probe';
import { isUpToDate } from '../database/schema/schema-state';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../runtime/logging/logger';

/** Whether the schema is what this release needs, or newer. */
@Injectable()
export class MigrationsHealthIndicator {
  /** Whether the schema was found up to date. It stays so, so the database is not queried again. */
  private migrated = false;
  /** Why it was not known last time. */
  private problem = '';

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly probe: DatabaseProbe,
    private readonly unitOfWork: UnitOfWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async migrations() {
    const indicator = this.indicators.check('migrations');
    this.migrated ||= (await this.probe.check()) && (await this.isMigrated());
    return this.migrated ? indicator.up() : indicator.down();
  }

  // A database that was never migrated has no table of migrations, and a pool without a free connection gives no
  // answer. In both cases the service is not known to be ready, and the next probe checks again. Probes come every few
  // seconds, so each problem is logged once.
  private async isMigrated(): Promise<boolean> {
    try {
      return await this.unitOfWork.run(isUpToDate, { readOnly: true });
    } catch (error) {
      if (this.problem !== String(error)) {
        this.logger.warn({ err: error }, 'The state of the schema cannot be read');
      }
      this.problem = String(error);
      return false;
    }
  }
}
