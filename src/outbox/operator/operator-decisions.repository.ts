import { randomUUID } from 'node:crypto';
import type { CustomerTransaction } from '../../database/transaction/store';

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
  tx: CustomerTransaction,
  { commandId, action, reason }: Omit<OperatorDecision, 'madeAt'>,
): Promise<void> {
  await tx.query(
    'insert into outbox_decisions (customer_id, id, command_id, action, reason) values ($1, $2, $3, $4, $5)',
    [randomUUID(), commandId, action, reason],
  );
}

/** Decisions about some commands, oldest first. */
export async function decisionsOn(
  tx: CustomerTransaction,
  commandIds: readonly string[],
): Promise<readonly OperatorDecision[]> {
  if (commandIds.length === 0) return [];
  const rows = await tx.query<{
    command_id: string;
    action: OperatorAction;
    reason: string;
    made_at: Date;
  }>(
    `select command_id, action, reason, made_at from outbox_decisions
     where customer_id = $1 and command_id = any($2) order by made_at`,
    [commandIds],
  );
  return rows.map(({ command_id, action, reason, made_at }) => ({
    commandId: command_id,
    action,
    reason,
    madeAt: made_at,
  }));
}

/** Deletes decisions that were made before a time about commands that are deleted. */
export async function deleteOldDecisions(tx: CustomerTransaction, oldest: Date): Promise<void> {
  await tx.query(
    `delete from outbox_decisions d where d.customer_id = $1 and d.made_at < $2
       and not exists (select 1 from outbox_commands c where c.customer_id = $1 and c.id = d.command_id)`,
    [oldest],
  );
}
