import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger';

// Nest logs every module and route that it sets up. These lines are only useful for debugging.
const framework = new Set<unknown>([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Writes Nest's own messages, and those of Nest's Logger class, to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(framework.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  // Nest passes optional texts after the message: for an error the stack first, for every message the context last.
  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const stack = level === 'error' && rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    const details = { ...(context !== undefined && { context }), ...(stack !== undefined && { stack }) };
    if (message instanceof Error) this.logger[level]({ ...details, err: message }, message.message);
    else this.logger[level](details, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
