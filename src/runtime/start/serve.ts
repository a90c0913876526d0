import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { types } from 'node:util';
import type { Environment } from '../config/environment';
import type { DatabasePooler } from '../config/setting-values';
import { ConsoleMissing, readConsole, type ConsoleFiles } from '../../console/console-files';
import { CONSOLE_PATH } from '../../console/console-page';
import { createApp } from './configure-app';
import { CredentialsService } from '../../platforms/credentials/credentials.service';
import { CannotOpenSeal } from '../../platforms/credentials/master-keys';
import { migrate } from '../../database/schema/migrate';
import { ReadinessService } from '../../health/readiness.service';
import { ServiceAdapter } from '../../common/server/service.adapter';
import type { Logger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { serveMetrics, type MetricsServer } from '../metrics/metrics-server';
import { openDatabase } from './database';
import { listeningUrl } from './listening-address';
import { isAway, migrateWhenReady } from './migrate-when-ready';
import { StartError, wordsOf } from './start-error';
import { aborted } from './stop-signal';

/**
 * Milliseconds from a stop after which pending responses are cut off. The rest of the ten seconds that a stop may take is
 * for the pool and the embedded database.
 */
const LAST_ANSWERS_MS = 8_000;

/** The folder of the built console, beside the compiled sources. It does not exist if sources run without a build. */
const BUILT_CONSOLE = join(__dirname, '../../../console');

/**
 * Runs the service: database, migrations, HTTP. Resolves after the service has stopped and released all resources.
 *
 * @param stop ends the service, at any point
 * @param announce called once requests are accepted, with the address of the API and that of the console, which is
 *   undefined if the console is off or missing
 * @param options `lastResponses`: milliseconds from the stop after which responses are cut off; `consoleFolder`: the folder
 *   of the built console
 * @throws StartError, EmbeddedPostgresError if the service cannot start
 */
export async function serve(
  environment: Environment,
  logger: Logger,
  stop: AbortSignal,
  announce: (url: string, consoleUrl?: string) => void,
  { lastResponses = LAST_ANSWERS_MS, consoleFolder = BUILT_CONSOLE } = {},
): Promise<void> {
  if (stop.aborted) return;
  const database = await openDatabase(environment, (line) => logger.warn(line));
  try {
    await bringUpToDate(database.url, environment.databasePooler, logger, stop);
    if (stop.aborted) return;
    const files = environment.console ? consoleOf(consoleFolder, logger) : undefined;
    const app = await createApp({ ...environment, databaseUrl: database.url }, logger, files);
    try {
      await refuseMissingKeys(app);
      const url = listeningUrl(await listen(app, environment, logger));
      announce(url, files && `${url}/${CONSOLE_PATH}`);
      const metrics = await openMetrics(app, environment, logger);
      await aborted(stop);
      logger.info('Stopping');
      app.get(ReadinessService, { strict: false }).stop();
      const adapter = app.getHttpAdapter();
      // Before the modules stop, because pending responses still need the database.
      if (adapter instanceof ServiceAdapter) {
        const cut = await adapter.closeGracefully({
          graceMs: environment.stopGraceMs,
          limitMs: lastResponses,
        });
        if (cut > 0) logger.warn({ answers: cut }, 'Answers took too long to go out and were cut');
      }
      await metrics?.close();
    } finally {
      await app.close();
    }
  } finally {
    await database.stop();
  }
}

/** The API does not need the console: without a usable one it is served alone. */
function consoleOf(folder: string, logger: Logger): ConsoleFiles | undefined {
  try {
    return readConsole(folder);
  } catch (error) {
    if (!(error instanceof ConsoleMissing)) throw error;
    logger.warn({ reason: error.message }, 'The console is not served: its build is missing or damaged');
    return undefined;
  }
}

async function bringUpToDate(
  url: string,
  pooler: DatabasePooler,
  logger: Logger,
  stop: AbortSignal,
): Promise<void> {
  try {
    const applied = await migrateWhenReady(() => migrate(url, pooler), stop);
    if (applied.length > 0) logger.info({ migrations: applied }, 'The database was brought up to date');
  } catch (error) {
    if (stop.aborted) return;
    logger.error({ err: error }, 'The database could not be brought up to date');
    const problem = isAway(error) ? 'does not answer' : 'cannot be brought up to date';
    throw new StartError(`The database ${problem}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Runs before any work begins: work for a connection whose credentials cannot be decrypted would fail again and again.
 */
async function refuseMissingKeys(app: NestExpressApplication): Promise<void> {
  try {
    await app.get(CredentialsService, { strict: false }).refuseMissingKeys();
  } catch (error) {
    if (error instanceof CannotOpenSeal) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const words = wordsOf(error);
  return types.isNativeError(error) && error.cause !== undefined
    ? `${words} (${reasonOf(error.cause)})`
    : words;
}

async function listen(
  app: NestExpressApplication,
  { host, port }: Environment,
  logger: Logger,
): Promise<AddressInfo> {
  try {
    await (host === undefined ? app.listen(port) : app.listen(port, host));
  } catch (cause) {
    throw new StartError(
      `Cannot listen on ${host === undefined ? '' : `${host} `}port ${port}: ${whyNot(cause)}`,
      {
        cause,
      },
    );
  }
  const server = app.getHttpServer();
  // A failure to accept a connection must not end the process. Nest handles errors only until the port is open.
  server.on('error', (error: unknown) => logger.error({ err: error }, 'A connection was not accepted'));
  return server.address() as AddressInfo; // A listening TCP server has an address.
}

async function openMetrics(
  app: NestExpressApplication,
  environment: Environment,
  logger: Logger,
): Promise<MetricsServer | undefined> {
  const { metricsPort } = environment;
  if (metricsPort === undefined) return undefined;
  const metrics = await serveMetrics(app.get(Metrics, { strict: false }), environment, metricsPort, logger);
  if (metrics.address !== undefined) {
    logger.info({ url: `${listeningUrl(metrics.address)}/metrics` }, 'Metrics are served');
  }
  return metrics;
}

function whyNot(cause: unknown): string {
  switch (types.isNativeError(cause) && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return 'the port is taken; set PORT to another one';
    case 'EACCES':
      return 'this user may not use it; set PORT to 1024 or more';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'HOST is no address of this machine';
    default:
      return reasonOf(cause);
  }
}
