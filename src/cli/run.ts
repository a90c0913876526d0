import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import pino from 'pino';
import { ApiKeysService } from '../auth/api-keys.service';
import { readEnvironment, type Environment } from '../config/environment';
import { DatabaseUnavailable } from '../database/database-errors';
import { migrate } from '../database/migrate';
import { ApiError } from '../http/errors';
import { createLogger, type Logger } from '../logging/logger';
import { NestLogger } from '../logging/nest-logger';
import { ReconciliationService } from '../reconciliation/reconciliation.service';
import { openDatabase } from '../start/database';
import { mayPass } from '../start/migrate-when-ready';
import { startProblem } from '../start/start-error';
import { CliModule } from './cli.module';
import { ExchangeRatesService } from './exchange-rates.service';
import type { Output } from './output';
import { program, type Operate, type Operator } from './program';

/** How a command ended: done, refused, or not understood. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/** Runs one command; gives the exit code of the process. Nothing but results goes to `output.out`. */
export async function runCli(
  args: readonly string[],
  source: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const operate: Operate = (work) => withOperator(readEnvironment(source), work);
  try {
    await program(operate, output).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has said already what it did not understand, and help that was asked for is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    output.err(`${problemOf(error)}\n`);
    return EXIT.refused;
  }
}

function problemOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof DatabaseUnavailable || mayPass(error)) return 'The database does not answer';
  return startProblem(error);
}

async function withOperator<Result>(
  environment: Environment,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  // Standard output belongs to the result.
  const logger: Logger = createLogger(environment.logLevel, pino.destination({ fd: 2, sync: true }));
  const database = await openDatabase(environment, (line) => logger.warn(line));
  try {
    await migrate(database.url);
    const app = await NestFactory.createApplicationContext(
      CliModule.forRoot({ ...environment, databaseUrl: database.url }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      return await work({
        keys: app.get(ApiKeysService),
        rates: app.get(ExchangeRatesService),
        reconciliation: app.get(ReconciliationService),
      });
    } finally {
      await app.close();
    }
  } finally {
    await database.stop();
  }
}
