import type { DataSource } from 'typeorm';
import { poolOf } from './connection-pool';

/** The pool of connections at a moment. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Work that waits for a connection. */
  readonly waiting: number;
}

/**
 * The state of a data source's pool; a closed one has no connection in use.
 *
 * @param waiting units of work that wait for admission, which the pool itself does not know
 */
export function poolStateOf(dataSource: DataSource, waiting: number): PoolState {
  const pool = poolOf(dataSource);
  if (pool === undefined) return { inUse: 0, idle: 0, waiting };
  return {
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount + waiting,
  };
}
