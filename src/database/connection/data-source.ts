import { Logger } from '@nestjs/common';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { DatabaseClient, prepareSession } from './database-client';
import { ENTITIES } from '../entities/all';
import { QuietTypeOrmLogger } from './quiet-typeorm-logger';
import { IDLE_IN_TRANSACTION_LIMIT_MS, REQUEST_LIMIT_MS, STATEMENT_LIMIT_MS } from './limits';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The service's name in the server's list of sessions. */
export const APPLICATION_NAME = 'construction-data-translation';

/** Connections of one process. On two cores throughput no longer grows beyond 8 to 16. */
export const POOL_SIZE = 12;

/** Whether the service keeps a session while it is connected, or a pooler assigns one for each transaction. */
export type Pooler = 'off' | 'transaction';

/** Whether a pooler shares sessions, so that settings and prepared statements last only for a transaction. */
export function sessionsAreShared({ options }: DataSource): boolean {
  const extra: unknown = options.extra;
  return typeof extra === 'object' && extra !== null && 'sharedSessions' in extra;
}

/**
 * Options of a TypeORM data source on the given database. JIT is off: the server would compile some of the service's
 * statements, and compiling takes longer than running them. Behind a pooler for transactions nothing is set at login or
 * for the session: the pooler refuses settings at login, and passes those of a session on to its next client.
 *
 * @param overrides replace single options; members of `extra` replace single options of the driver's pool
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
    // Only migrations change the schema.
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
      ...(overrides.extra as object | undefined), // TypeORM does not type these options, because it only passes them on.
    },
  };
}
