import { EventEmitter } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import pino from 'pino';
import { readEnvironment, type Environment } from '../runtime/config/environment';
import { DatabaseUnavailable } from '../database/connection/database-errors';
import { ApiError } from '../common/errors/api-error';
import { createLogger, type Logger } from '../runtime/logging/logger';
import { NestLogger } from '../runtime/logging/nest-logger';
import { CustomerDeleted, UnknownCustomer } from '../database/transaction/customer-deleted';
import { openDatabase } from '../runtime/start/database';
import { mayPass } from '../runtime/start/migrate-when-ready';
import { CannotOpenSeal } from '../platforms/credentials/master-keys';
import { startProblem, StartError } from '../runtime/start/start-error';
import { bringUpToDate } from './bring-up-to-date';
import { CliModule } from './cli.module';
import type { Input } from './input';
import { Interrupted, Interruption } from './interruption';
import { Operator, type Access } from './operator';
import type { Output } from './output';
import { program } from './program';

/** Exit codes of a command: done, refused, or not understood. A signal has codes of its own. */
const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/**
 * Runs one command and returns the exit code of the process. Only results go to `output.out`.
 *
 * @param input read only by commands whose description says so
 * @param signals emits the signals that end the command; none without it
 */
export async function runCli(
  args: readonly string[],
  source: NodeJS.ProcessEnv,
  output: Output,
  input: Input = process.stdin,
  signals = new EventEmitter(),
): Promise<number> {
  const interruption = new Interruption(signals);
  return runOver(
    {
      input,
      operate: (work) => withOperator(readEnvironment(source), interruption, work),
      reach: (work) => {
        const environment = readEnvironment(source);
        return withDatabase(environment, interruption, (databaseUrl) =>
          work(databaseUrl, environment.databasePooler),
        );
      },
    },
    args,
    output,
  );
}

/** Runs one command with the given access to the database, and returns the exit code. */
export async function runOver(access: Access, args: readonly string[], output: Output): Promise<number> {
  try {
    await program(access, output).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has already printed its message. A request for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    const isInterrupted = error instanceof Interrupted;
    output.err(`${isInterrupted ? error.message : problemOf(error)}\n`);
    return isInterrupted ? error.exitCode : EXIT.refused;
  }
}

function problemOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof UnknownCustomer) return error.message;
  if (error instanceof CustomerDeleted) return 'No customer with this ID';
  // Before its cause is looked at, which may be a failure of the database.
  if (error instanceof StartError) return startProblem(error);
  if (error instanceof DatabaseUnavailable || mayPass(error)) return 'The database does not answer';
  if (error instanceof CannotOpenSeal) return error.message;
  return startProblem(error, 'The command failed');
}

async function withOperator<Result>(
  environment: Environment,
  interruption: Interruption,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  return withDatabase(environment, interruption, async (databaseUrl, logger) => {
    const opened = { ...environment, databaseUrl };
    await bringUpToDate(databaseUrl, environment.databasePooler);
    return interruption.whileOpen(async () => {
      const app = await createOperator(opened, logger);
      return thenClose(
        () => interruption.work(() => work(app.get(Operator))),
        () => app.close(),
        logger,
      );
    });
  });
}

/** Brings the schema up to date, and creates the parts of the service that commands use. The caller closes them. */
export async function openOperator(
  environment: Environment & { readonly databaseUrl: string },
  logger: Logger,
): Promise<INestApplicationContext> {
  await bringUpToDate(environment.databaseUrl, environment.databasePooler);
  return createOperator(environment, logger);
}

function createOperator(
  environment: Environment & { readonly databaseUrl: string },
  logger: Logger,
): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(CliModule.forRoot(environment, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
}

async function withDatabase<Result>(
  environment: Environment,
  interruption: Interruption,
  work: (databaseUrl: string, logger: Logger) => Promise<Result>,
): Promise<Result> {
  // Logs go to standard error, because standard output is reserved for the result.
  const logger: Logger = createLogger(environment.logLevel, pino.destination({ fd: 2, sync: true }));
  const use = async (): Promise<Result> => {
    const database = await openDatabase(environment, (line) => logger.warn(line));
    return thenClose(
      async () => {
        interruption.refuse();
        return work(database.url, logger);
      },
      () => database.stop(),
      logger,
    );
  };
  // Work with connections of its own, such as migrations, is awaited, because an embedded server that is in use does not stop.
  // An external one has no need of that.
  return environment.databaseUrl === undefined ? interruption.whileOpen(use) : use();
}

/**
 * Does work, and closes what it was done with. A failure to close is logged only: what the work returned may be a new key,
 * which is shown once.
 *
 * @throws as the work does
 */
export async function thenClose<Result>(
  work: () => Promise<Result>,
  close: () => Promise<void>,
  logger: Pick<Logger, 'warn'>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await close().catch((error: unknown) =>
      logger.warn({ err: error }, 'The command could not close what it used'),
    );
  }
}
