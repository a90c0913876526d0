import type { Logger as TypeOrmLogger } from 'typeorm';
import { Logger } from '@nestjs/common';

/**
 * TypeORM's messages, as far as they belong in the service's log. Statements do not, since their parameters are
 * customers' data, and failures rise as errors anyway.
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
