import { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { DatabaseClient } from './database-client';

/** The driver's pool behind a data source; undefined while that is closed. */
export function poolOf({ driver }: DataSource): Pool | undefined {
  const pool: unknown = driver instanceof PostgresDriver ? driver.master : undefined;
  return pool instanceof Pool ? pool : undefined;
}

/** A connection of the pool, for one user at a time. */
export interface LeasedConnection {
  readonly client: DatabaseClient;
  /** Returns the connection to the pool, or removes a broken one from it. */
  release(): void;
}

/** Takes a connection out of the pool. @throws Error if the pool is closed, or no connection opens in time */
export async function leaseConnection(dataSource: DataSource): Promise<LeasedConnection> {
  const pool = poolOf(dataSource);
  if (pool === undefined) throw new Error('The data source is closed');
  const client = await pool.connect();
  if (!(client instanceof DatabaseClient)) {
    client.release();
    throw new Error('The data source was not made with dataSourceOptions()');
  }
  return { client, release: () => client.release(client.usable ? undefined : (client.failure ?? true)) };
}
