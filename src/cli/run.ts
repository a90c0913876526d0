import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import pino from 'pino';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersService } from '../auth/customers/customers.service';
import { readEnvironment, type Environment } from '../runtime/config/environment';
import { ConnectionListingService } from '../connections/connection-listing.service';
import { LiveConnectionsService } from '../connections/live-connections.service';
import { CredentialsService } from '../platforms/credentials/credentials.service';
import { DatabaseUnavailable } from '../database/connection/database-errors';
import { DemoExpiry } from '../demo/demo-expiry';
import { ApiError } from '../common/errors/api-error';
import { createLogger, type Logger } from '../runtime/logging/logger';
import { NestLogger } from '../runtime/logging/nest-logger';
import { OutboxOperations } from '../outbox/operator/outbox-operations';
import { ExchangeRatesService } from '../terms/rates/exchange-rates.service';
import { MatchingDecisions } from '../matching/decisions/decisions.service';
import { CasesService } from '../reconciliation/cases/cases.service';
import { ConnectionChecks } from '../sync/run/connection-checks';
import { CustomerDeleted, UnknownCustomer } from '../database/transaction/customer-deleted';
import { SyncService } from '../sync/sync.service';
import { openDatabase } from '../runtime/start/database';
import { mayPass } from '../runtime/start/migrate-when-ready';
import { startProblem } from '../runtime/start/start-error';
import { StorageQuota } from '../records/storage-quota/storage-quota';
import { SubscriptionsService } from '../webhooks/subscriptions.service';
import { bringUpToDate } from './bring-up-to-date';
import { CliModule } from './cli.module';
import type { Input } from './input';
import type { Access, Operator } from './operator';
import type { Output } from './output';
import { program } from './program';

/** Exit codes of a command: done, refused, or not understood. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/** Providers belong to the modules that the command line imports. */
const OF_ITS_MODULE = { strict: false } as const;

/**
 * Runs one command and returns the exit code of the process. Only results go to `output.out`.
 *
 * @param input read only by commands whose description says so
 */
export async function runCli(
  args: readonly string[],
  source: NodeJS.ProcessEnv,
  output: Output,
  input: Input = process.stdin,
): Promise<number> {
  const access: Access = {
    input,
    operate: (work) => withOperator(readEnvironment(source), work),
    reach: (work) => {
      const environment = readEnvironment(source);
      return withDatabase(environment, (databaseUrl) => work(databaseUrl, environment.databasePooler));
    },
  };
  try {
    await program(access, output).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has already printed its message. A request for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    output.err(`${problemOf(error)}\n`);
    return EXIT.refused;
  }
}

function problemOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof UnknownCustomer) return error.message;
  if (error instanceof CustomerDeleted) return 'No customer with this ID';
  if (error instanceof DatabaseUnavailable || mayPass(error)) return 'The database does not answer';
  return startProblem(error);
}

async function withOperator<Result>(
  environment: Environment,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  return withDatabase(environment, async (databaseUrl, logger) => {
    await bringUpToDate(databaseUrl, environment.databasePooler);
    const app = await NestFactory.createApplicationContext(
      CliModule.forRoot({ ...environment, databaseUrl }, logger),
      {
        logger: new NestLogger(logger),
        abortOnError: false,
      },
    );
    try {
      return await work({
        keys: app.get(ApiKeysService, OF_ITS_MODULE),
        customers: app.get(CustomersService, OF_ITS_MODULE),
        connections: app.get(ConnectionListingService, OF_ITS_MODULE),
        storage: app.get(StorageQuota, OF_ITS_MODULE),
        live: app.get(LiveConnectionsService, OF_ITS_MODULE),
        credentials: app.get(CredentialsService, OF_ITS_MODULE),
        outbox: app.get(OutboxOperations, OF_ITS_MODULE),
        sync: app.get(SyncService, OF_ITS_MODULE),
        checks: app.get(ConnectionChecks, OF_ITS_MODULE),
        webhooks: app.get(SubscriptionsService, OF_ITS_MODULE),
        rates: app.get(ExchangeRatesService, OF_ITS_MODULE),
        agreements: app.get(AgreementsService, OF_ITS_MODULE),
        reconciliation: app.get(CasesService, OF_ITS_MODULE),
        decisions: app.get(MatchingDecisions, OF_ITS_MODULE),
        demo: { expiry: app.get(DemoExpiry, OF_ITS_MODULE), ttl: environment.demoSessionTtlMs },
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
