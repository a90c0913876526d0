import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/mapper';
import type { Connectors } from '../../platforms/registry';
import type { CustomerTransaction } from '../../database/transaction/store';
import { databaseTime } from '../../database/transaction/database-time';
import type { ChangeCause } from '../../records/changes/change-cause';
import { recordChange } from '../../records/changes/changes.repository';
import { nativeValuesOf } from '../history/native-values';
import { accountFor } from '../history/propagations.repository';
import type { FinalStatus, StoredCommand } from '../command/outbox-command';
import { decide } from '../command/stored/commands.repository';
import { joinedReasons, progressReason } from '../command/partial/progress-reasons';

/** The context in which an outcome is recorded. */
export interface Recorder {
  readonly tx: CustomerTransaction;
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
  return { tx, connectors, cause: () => (cause ??= begin()) };
}

/**
 * Decides a command and adds the outcome to the history of its change, including certain effects.
 *
 * @param payload the platform's record after an applied write, if it is known
 */
export async function close(
  { tx }: Pick<Recorder, 'tx'>,
  command: StoredCommand,
  status: FinalStatus,
  why: string | null,
  platformId: string | null,
  payload?: JsonObject,
): Promise<void> {
  const isTaken = status === 'applied' || status === 'unchanged';
  const reason = isTaken ? why : joinedReasons(why, progressReason(command));
  await decide(tx, command.id, status, reason);
  await accountFor(tx, command.propagationId, command.platform, {
    status,
    reason,
    platformId,
    ...(payload !== undefined && { values: valuesOf(command, payload) }),
  });
}

// An earlier attempt may have made some of the changes, which later attempts do not send.
function valuesOf(command: StoredCommand, payload: JsonObject): JsonObject {
  const { base, changes, made, recording } = command;
  const paths = [...made.changes, ...changes].map(({ path }) => path);
  return nativeValuesOf({ ...command, currencies: recording.currencies }, base, payload, paths);
}
