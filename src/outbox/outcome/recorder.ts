import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JsonObject, OwnFields } from '@app/mapper';
import { Connectors } from '../../platforms/connectors';
import type { CustomerTransaction } from '../../database/transaction/store';
import { databaseTime } from '../../database/transaction/database-time';
import type { ChangeCause } from '../../records/changes/change-cause';
import { recordChange } from '../../records/changes/changes.repository';
import { loadTerms } from '../../records/terms/terms.repository';
import { PlatformRecordsRepository } from '../../records/platform-records/platform-records.repository';
import { CanonicalObjectsRepository } from '../../records/objects/canonical-objects.repository';
import { nativeValuesOf } from '../history/native-values';
import { PropagationsRepository } from '../history/propagations.repository';
import type { FinalStatus, StoredCommand } from '../command/outbox-command';
import { ownFieldsAt } from '../command/own-fields-at';
import { decide } from '../command/stored/commands.repository';
import { joinedReasons, progressReason } from '../command/partial/progress-reasons';

/** The context in which an outcome is recorded. */
export interface Recorder {
  readonly tx: CustomerTransaction;
  readonly connectors: Connectors;
  readonly history: PropagationsRepository;
  readonly objects: CanonicalObjectsRepository;
  readonly records: PlatformRecordsRepository;
  /** The customer's own fields. They are read on first use. */
  readonly ownFields: () => Promise<OwnFields | undefined>;
  /** The change cause of the outcome. It is stored on first use, after the locks were taken. */
  readonly cause: () => Promise<ChangeCause>;
  /** The cause, if it was used. */
  readonly begun: () => Promise<ChangeCause | undefined>;
  /** The final statuses that commands got with this outcome. */
  readonly closed: Set<FinalStatus>;
}

/** Creates {@link Recorder}s. */
@Injectable()
export class Recorders {
  constructor(
    private readonly connectors: Connectors,
    private readonly history: PropagationsRepository,
    private readonly objects: CanonicalObjectsRepository,
    private readonly records: PlatformRecordsRepository,
  ) {}

  /**
   * The recorder of one outcome, within a transaction.
   *
   * @param commandId the command whose outcome is recorded
   */
  of(tx: CustomerTransaction, commandId: string): Recorder {
    const { connectors, history, objects, records } = this;
    let cause: Promise<ChangeCause> | undefined;
    const begin = async (): Promise<ChangeCause> => {
      const begun = { id: randomUUID(), at: await databaseTime(tx.store) };
      recordChange(tx, begun, { origin: 'outcome', commandId });
      return begun;
    };
    let own: Promise<OwnFields | undefined> | undefined;
    const read = async (): Promise<OwnFields | undefined> => (await loadTerms(tx)).own;
    return {
      tx,
      connectors,
      history,
      objects,
      records,
      ownFields: () => (own ??= read()),
      cause: () => (cause ??= begin()),
      begun: () => Promise.resolve(cause),
      closed: new Set(),
    };
  }
}

/**
 * Decides a command and adds the outcome to the history of its change. The reason of a command that was not applied
 * names the effects that it certainly had.
 *
 * @param platformId the native ID of the record after the outcome; null if the platform has none
 * @param payload the platform's record after an applied write, if it is known
 */
export async function close(
  recorder: Recorder,
  command: StoredCommand,
  status: FinalStatus,
  why: string | null,
  platformId: string | null,
  payload?: JsonObject,
): Promise<void> {
  const { tx, history, closed } = recorder;
  const isTaken = status === 'applied' || status === 'unchanged';
  const reason = isTaken ? why : joinedReasons(why, progressReason(command));
  await decide(tx, command.id, status, reason);
  closed.add(status);
  await history.saveOutcome(tx, command.propagationId, command.platform, {
    status,
    reason,
    platformId,
    ...(payload !== undefined && { values: await valuesOf(recorder, command, payload) }),
  });
}

// An earlier attempt may have made some of the changes, which later attempts do not send.
async function valuesOf(
  recorder: Recorder,
  command: StoredCommand,
  payload: JsonObject,
): Promise<JsonObject> {
  const { base, changes, made, recording } = command;
  const paths = [...made.changes, ...changes].map(({ path }) => path);
  const own = await ownFieldsAt(recorder, command, paths);
  return nativeValuesOf({ ...command, currencies: recording.currencies }, base, payload, paths, own);
}
