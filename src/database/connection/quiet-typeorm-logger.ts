import type { Logger as TypeOrmLogger } from 'typeorm';
import { Logger } from '@nestjs/common';

/**
 * Passes TypeORM's messages to the service's log, except statements: their parameters are customers' data, and their
 * failures are thrown as errors anyway.
 */
export class QuietTypeOrmLogger implements TypeOrmLogger {
  private readonly messages = new Logger('Database');

  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.messages.warn(String(message));
  }

  logQuery(): void {}
  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
}
