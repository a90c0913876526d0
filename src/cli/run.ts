import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import pino from 'pino';
import { ApiKeysService } from '../auth/api-keys.service';
import { readEnvironment, type Environment } from '../config/environment';
import { DatabaseUnavailable } from '../database/database-errors';
import { DemoExpiry } from '../demo/demo-expiry';
import { ApiError } from '../errors/api-error';
import { createLogger, type Logger } from '../logging/logger';
import { NestLogger } from '../logging/nest-logger';
import { ReconciliationService } from '../reconciliation/reconciliation.service';
import { openDatabase } from '../start/database';
import { mayPass } from '../start/migrate-when-ready';
import { startProblem } from '../start/start-error';
import { bringUpToDate } from './bring-up-to-date';
import { CliModule } from './cli.module';
import { CustomersService } from './customers.service';
import { ExchangeRatesService } from './exchange-rates.service';
import type { Access, Operator } from './operator';
import type { Output } from './output';
import { program } from './program';

/** How a command ended: done, refused, or not understood. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/** Runs one command; gives the exit code of the process. Nothing but results goes to `output.out`. */
export async function runCli(
  args: readonly string[],
  source: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const access: Access = {
    operate: (work) => withOperator(readEnvironment(source), work),
    reach: (work) => withDatabase(readEnvironment(source), (databaseUrl) => work(databaseUrl)),
  };
  try {
    await program(access, output).parseAsync(args, { from: 'user' });
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
  return withDatabase(environment, async (databaseUrl, logger) => {
    await bringUpToDate(databaseUrl);
    const app = await NestFactory.createApplicationContext(
      CliModule.forRoot({ ...environment, databaseUrl }),
      {
        logger: new NestLogger(logger),
        abortOnError: false,
      },
    );
    try {
      return await work({
        keys: app.get(ApiKeysService),
        customers: app.get(CustomersService),
        rates: app.get(ExchangeRatesService),
        reconciliation: app.get(ReconciliationService),
        demo: { expiry: app.get(DemoExpiry), ttl: environment.demoSessionTtlMs },
      });
    } finally {
      await app.close();
    }
  });
}

async function withDatabase<Result>(
  environment: Environment,
  work: (databaseUrl: string, logger: Logger) => Promise<Result>,
): Promise<Result> {
  // Standard output belongs to the result.
  const logger: Logger = createLogger(environment.logLevel, pino.destination({ fd: 2, sync: true }));
  const database = await openDatabase(environment, (line) => logger.warn(line));
  try {
    return await work(database.url, logger);
  } finally {
    await database.stop();
  }
}
