import { randomUUID } from 'node:crypto';
import type { Store } from '../../database/transaction/store';

/** What an operator may decide about a command. */
export type OperatorAction = 'retry' | 'send_again' | 'discard';

/** What an operator decided about a command, why and when. */
export interface OperatorDecision {
  readonly commandId: string;
  readonly action: OperatorAction;
  readonly reason: string;
  readonly madeAt: Date;
}

/** Keeps a decision. */
export async function insertDecision(
  store: Store,
  customerId: string,
  { commandId, action, reason }: Omit<OperatorDecision, 'madeAt'>,
): Promise<void> {
  await store.query(
    'insert into outbox_decisions (customer_id, id, command_id, action, reason) values ($1, $2, $3, $4, $5)',
    [customerId, randomUUID(), commandId, action, reason],
  );
}

/** Decisions about some commands, oldest first. */
export async function decisionsOn(
  store: Store,
  customerId: string,
  commandIds: readonly string[],
): Promise<readonly OperatorDecision[]> {
  if (commandIds.length === 0) return [];
  const rows = await store.query<{
    command_id: string;
    action: OperatorAction;
    reason: string;
    made_at: Date;
  }>(
    `select command_id, action, reason, made_at from outbox_decisions
     where customer_id = $1 and command_id = any($2) order by made_at`,
    [customerId, commandIds],
  );
  return rows.map(({ command_id, action, reason, made_at }) => ({
    commandId: command_id,
    action,
    reason,
    madeAt: made_at,
  }));
}
