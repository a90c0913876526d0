import { IDLE_IN_TRANSACTION_LIMIT_MS, LOCK_LIMIT_MS, STATEMENT_LIMIT_MS } from './limits';
import { settingsOnAllServers } from './on-all-servers';
import type { Deadlines } from './deadlines';

/** How a transaction begins. */
export interface TransactionOptions {
  readonly deadlines: Deadlines;
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ';
  readonly readOnly?: boolean;
  /** Whether a statement fails if it waits longer than {@link LOCK_LIMIT_MS} for a lock. */
  readonly shortLocks?: boolean;
}

/**
 * The statements that begin a transaction, one command each.
 *
 * @param sessionsAreShared whether a pooler shares the sessions. Then the parameters that are otherwise set for the session
 *   are set for each transaction
 */
export function openingStatements(
  { deadlines, isolation, readOnly, shortLocks }: TransactionOptions,
  sessionsAreShared: boolean,
): readonly string[] {
  const modes = [isolation && `isolation level ${isolation}`, readOnly === true && 'read only'];
  return [
    ['begin', modes.filter(Boolean).join(', ')].filter(Boolean).join(' '),
    ...(sessionsAreShared ? ['set local jit = off'] : []),
    ...timeouts(deadlines, sessionsAreShared),
    ...(shortLocks === true ? settingsOnAllServers(`lock_timeout = ${LOCK_LIMIT_MS}`) : []),
  ];
}

function timeouts(deadlines: Deadlines, sessionsAreShared: boolean): readonly string[] {
  switch (deadlines) {
    case 'request':
      return sessionsAreShared ? limits(STATEMENT_LIMIT_MS, IDLE_IN_TRANSACTION_LIMIT_MS) : [];
    case 'bulk':
      return limits(0, 0);
  }
}

function limits(statementMs: number, idleMs: number): readonly string[] {
  return [
    `set local statement_timeout = ${statementMs}`,
    `set local idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}
