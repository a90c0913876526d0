/**
 * Time limits for the database, in milliseconds. A request that needs the database is answered within 5 s and the
 * health check within 2 s, whatever happens to the database. The difference to these limits leaves a busy process time
 * to notice and to respond.
 */

/** The whole unit of work of a request, when the database responds but is slow, locked or full. */
export const REQUEST_LIMIT_MS = 4_000;

/**
 * One statement of a request, by the server's clock. The server gives up before the service does, and its error names
 * the statement.
 */
export const STATEMENT_LIMIT_MS = 3_500;

/** One attempt to get a lock, by work that repeats the attempt. Between attempts the work holds no connection. */
export const LOCK_LIMIT_MS = 200;

/**
 * A new connection, including the login. Shorter than the limits above, so that time is left for the response when the
 * server fails.
 */
export const CONNECT_LIMIT_MS = 2_000;

/** The response to the probe. */
export const PROBE_LIMIT_MS = 1_200;

/** Between two heartbeats while work waits. Each has the probe's limit, so silence is noticed within 2.2 s. */
export const HEARTBEAT_PAUSE_MS = 1_000;

/** Idle time after which the server ends a transaction, so that a lost unit of work does not keep its locks. */
export const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/** Between two checks by the working server whether the client is still connected. */
export const CLIENT_CHECK_INTERVAL_MS = 1_000;

/** Silence on a connection after which the operating system probes the other side. */
export const KEEP_ALIVE_DELAY_MS = 10_000;

/** How long the server may take to close a connection. A frozen server never does. */
export const CLOSE_LIMIT_MS = 1_000;
