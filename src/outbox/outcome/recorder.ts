import { randomUUID } from 'node:crypto';
import type { Connectors } from '../../platforms/registry';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import { databaseTime, recordChange, type ChangeCause } from '../../records/changes';
import { accountFor } from '../history/history.repository';
import type { FinalStatus, StoredCommand } from '../command/outbox-command';
import { decide } from '../command/outbox.repository';
import { joinedReasons, madeWords } from '../command/part-words';

/** The context in which an outcome is recorded. */
export interface Recorder {
  readonly store: Store;
  readonly customerId: string;
  readonly connectors: Connectors;
  /** The change cause of the outcome. It is stored on first use, after the locks were taken. */
  readonly cause: () => Promise<ChangeCause>;
}

/** @param commandId the command whose outcome is recorded */
export function recorderFor(tx: CustomerTransaction, connectors: Connectors, commandId: string): Recorder {
  let cause: Promise<ChangeCause> | undefined;
  const begin = async (): Promise<ChangeCause> => {
    const begun = { id: randomUUID(), at: await databaseTime(tx.store) };
    recordChange(tx, begun, { origin: 'outcome', commandId });
    return begun;
  };
  return { store: tx.store, customerId: tx.customerId, connectors, cause: () => (cause ??= begin()) };
}

/** Decides a command and adds the outcome to the history of its change, including certain effects. */
export async function close(
  { store, customerId }: Pick<Recorder, 'store' | 'customerId'>,
  command: StoredCommand,
  status: FinalStatus,
  why: string | null,
  platformId: string | null,
): Promise<void> {
  const isTaken = status === 'applied' || status === 'unchanged';
  const reason = isTaken ? why : joinedReasons(why, madeWords(command));
  await decide(store.forCustomer(customerId), command.id, status, reason);
  await accountFor(store.forCustomer(customerId), command.propagationId, command.platform, {
    status,
    reason,
    platformId,
  });
}
