import { Logger } from '@nestjs/common';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { DatabaseClient, prepareSession } from '../connection/database-client';
import { ENTITIES } from '../entities/all';
import { QuietTypeOrmLogger } from '../connection/quiet-typeorm-logger';
import { IDLE_IN_TRANSACTION_LIMIT_MS, REQUEST_LIMIT_MS, STATEMENT_LIMIT_MS } from '../connection/limits';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** How the service calls itself in the server's list of sessions. */
export const APPLICATION_NAME = 'construction-data-translation';

/** Connections of one process. On two cores throughput no longer grows beyond 8 to 16. */
export const POOL_SIZE = 12;

/** Whether a session is ours for as long as we are connected, or for one transaction at a time. */
export type Pooler = 'off' | 'transaction';

/** Whether a pooler hands sessions on, so that nothing can be set or prepared for longer than a transaction. */
export function sessionsAreShared({ options }: DataSource): boolean {
  const extra: unknown = options.extra;
  return typeof extra === 'object' && extra !== null && 'sharedSessions' in extra;
}

/**
 * Options of a TypeORM data source on the given database. No statement is compiled: the server thinks some of ours worth it, and
 * compiling takes longer than they do. Behind a pooler for transactions nothing is set at login or for
 * the session: the pooler refuses the one and hands the other on to its next client.
 *
 * @param overrides replace single options; those in `extra` replace single options of the driver's pool
 */
export function dataSourceOptions(
  databaseUrl: string,
  overrides: Partial<Omit<PostgresOptions, 'type' | 'url'>> = {},
  pooler: Pooler = 'off',
): PostgresOptions {
  const log = new Logger('Database');
  return {
    type: 'postgres',
    url: databaseUrl,
    entities: ENTITIES,
    // The schema is made by migrations alone.
    synchronize: false,
    logger: new QuietTypeOrmLogger(),
    installExtensions: false,
    applicationName: APPLICATION_NAME,
    poolSize: POOL_SIZE,
    connectTimeoutMS: REQUEST_LIMIT_MS,
    // The pool replaces a connection that breaks while it is idle. Without a listener the process would end.
    poolErrorHandler: (error: unknown) => log.warn(`An idle connection broke: ${String(error)}`),
    ...overrides,
    extra: {
      Client: DatabaseClient,
      ...(pooler === 'transaction'
        ? { sharedSessions: true }
        : {
            onConnect: prepareSession,
            options: '-c jit=off',
            statement_timeout: STATEMENT_LIMIT_MS,
            idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_LIMIT_MS,
          }),
      ...(overrides.extra as object | undefined), // TypeORM leaves the type open, since it only passes the options on.
    },
  };
}
