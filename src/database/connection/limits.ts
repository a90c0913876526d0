/**
 * How long the database may take, in milliseconds. What needs the database is answered within 5 s and the health check
 * within 2 s, whatever happens to it; what is left of that is for a busy process to notice and to send the answer.
 */

/** A unit of work of a request, from its start, on a database that lives but is slow, locked or full. */
export const REQUEST_LIMIT_MS = 4_000;

/** One statement of a request, by the server's clock: it gives up before we do, and its error names the statement. */
export const STATEMENT_LIMIT_MS = 3_500;

/** One attempt at a lock by work that tries again. Between attempts it waits without a connection. */
export const LOCK_LIMIT_MS = 200;

/** A new connection, login included; less than the above, so that a failing server leaves time to say so. */
export const CONNECT_LIMIT_MS = 2_000;

/** The probe's answer. */
export const PROBE_LIMIT_MS = 1_200;

/** Between two heartbeats while work waits. Their limit is the probe's, so silence is noticed within 2.2 s. */
export const HEARTBEAT_PAUSE_MS = 1_000;

/** How long a transaction may do nothing before the server ends it; a lost unit of work must not keep its locks. */
export const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/** How often the server looks, while it works, whether the client is still there. */
export const CLIENT_CHECK_INTERVAL_MS = 1_000;

/** How long a connection may be silent before the operating system asks the other side whether it is there. */
export const KEEP_ALIVE_DELAY_MS = 10_000;

/** How long a server may take to part with us; a frozen one never does. */
export const CLOSE_LIMIT_MS = 1_000;
