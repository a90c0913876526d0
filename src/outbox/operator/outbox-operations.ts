import { Injectable } from '@nestjs/common';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import type { LoadedObject } from '../../records/loaded-object';
import { closeIfDecided } from '../outcome/close-change';
import { refreshStates } from '../history/propagations.repository';
import { swapExtra } from '../outcome/swap-extra';
import {
  findCommands,
  isOfPresentRecords,
  type CommandFilter,
  type CommandState,
} from './listed-commands.repository';
import { reopen, LEASE_MS } from '../command/stored/commands.repository';
import { OperatorDecisionsRepository, type OperatorDecision } from './operator-decisions.repository';
import { progressForResend, hasProgress } from '../command/partial/partial-progress';
import { mayHaveBeenSent, type StoredCommand } from '../command/outbox-command';
import { partialWriteReason } from '../command/partial/progress-reasons';
import { restOf } from '../outcome/record-applied';
import { commandsById, lockCommand, lockOpenCommands } from '../command/stored/stored-commands.repository';
import { recordRefused } from '../outcome/record-refusal';
import { lockObjectOf } from '../outcome/record-outcome';
import { noteOutcome } from '../outcome/note-outcome';
import { close, Recorders, type Recorder } from '../outcome/recorder';
import { partedSince } from './parted-since';
import { reopenSkipped } from './reopen-skipped';
import { projectPendingWrites } from '../outcome/pending/project-pending-writes';
import { blockedCommands } from '../command/stored/blocked-commands.repository';

/** A command with the details for an operator. */
export interface ShownCommand {
  readonly state: CommandState;
  readonly command: StoredCommand;
  /** The reason why it waits; undefined if it is decided or waits only for its turn. */
  readonly waitsBecause: string | undefined;
  readonly decisions: readonly OperatorDecision[];
}

/** Work of the caller in the transaction of a decision. If the transaction is repeated for its locks, so are both calls. */
export interface Alongside {
  /** Called with the first statements. */
  begun(store: Store): Promise<void>;
  /** Called when everything is written, before the commit. */
  ended(tx: CustomerTransaction): Promise<void>;
}

/** Why a person decides about a command, and who it is. */
export interface DecisionReason {
  readonly reason: string;
  /** Absent where no name is given. */
  readonly decidedBy?: string | null;
}

/** The operations that operators perform on commands. The service stores each decision with its reason. */
@Injectable()
export class OutboxOperations {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly recorders: Recorders,
    private readonly decisions: OperatorDecisionsRepository,
  ) {}

  /**
   * Lists commands of one customer or of all, the longest waiting first. Without a status it lists open and held
   * commands.
   */
  list(filter: CommandFilter): Promise<readonly CommandState[]> {
    return this.unitOfWork.run((store) => findCommands(store, filter), { readOnly: true, deadlines: 'bulk' });
  }

  /** @throws ApiError NOT_FOUND when there is no such command */
  async show(id: string): Promise<ShownCommand> {
    const state = await this.find(id);
    const { customerId } = state;
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const [command] = await commandsById(tx, [id]);
        if (command === undefined) throw notFound(id);
        const waiting = await blockedCommands(tx, [command.propagationId]);
        return {
          state,
          command,
          waitsBecause: waiting.find((one) => one.id === id)?.reason,
          decisions: await this.decisions.about(tx, [id]),
        };
      },
      { readOnly: true },
    );
  }

  /**
   * Reopens a held command, or makes an open one due now. A command that may have been sent is settled first, unless
   * `sendAgain` is set. Writes to other platforms that were skipped because of it wait for it again.
   *
   * @throws ApiError NOT_FOUND when there is no such command, CONFLICT_ERROR when it is decided or being sent, or when the
   *   platform's connection was purged, leads to another company, or became live since, or its record, or one to which that
   *   refers, belongs to another object since
   */
  async retry(
    id: string,
    { reason, decidedBy = null }: DecisionReason,
    sendAgain: boolean,
    alongside?: Alongside,
  ): Promise<StoredCommand> {
    return this.decide(id, alongside, async (recorder, object, command) => {
      const { tx } = recorder;
      const wasHeld = command.status === 'held';
      if (!(await isOfPresentRecords(tx, command))) {
        throw new ApiError(
          'CONFLICT_ERROR',
          `Command ${id} was for records of ${command.platform} that were removed since; it can only be discarded`,
        );
      }
      const parted = await partedSince(recorder, command);
      if (parted !== undefined) {
        throw new ApiError(
          'CONFLICT_ERROR',
          `Command ${id} cannot be sent: ${parted} belongs to another object since; it can only be discarded`,
        );
      }
      if (wasHeld) await lockOpenCommands(tx, command.canonicalId);
      const status = sendAgain || command.status === 'waiting' ? 'waiting' : 'uncertain';
      await this.decisions.insert(tx, {
        commandId: id,
        action: sendAgain ? 'send_again' : 'retry',
        reason,
        decidedBy,
      });
      // Done before the command itself is reopened: the time at which it was held identifies the skipped commands.
      const reopened =
        wasHeld && command.recording.leading ? await reopenSkipped(recorder, object, command) : [];
      const made = sendAgain ? progressForResend(command.made) : command.made;
      await reopen(tx, id, status, { made, isAnew: sendAgain });
      const { propagationId } = command;
      if (!wasHeld) {
        await refreshStates(tx, [propagationId]);
        return false;
      }
      await saveOpenOutcome(recorder, command, status === 'waiting' ? 'pending' : 'uncertain');
      for (const other of reopened) await saveOpenOutcome(recorder, other, 'pending');
      await recorder.history.reopen(tx, propagationId);
      // The accepted change was undone when the command was held.
      if (command.recording.leading) {
        await swapExtra(recorder, object.id, propagationId, 'redo');
      }
      await projectPendingWrites(recorder, object, []);
      return false;
    });
  }

  /**
   * Ends a command and undoes the accepted change, as a rejection by the platform does. A command that certainly was
   * not sent ends as `skipped`. A change of a record with certain effects ends as `applied` with only these effects. Any
   * other command ends as `rejected`.
   *
   * @throws ApiError NOT_FOUND when there is no such command, CONFLICT_ERROR when it is decided or being sent
   */
  async discard(
    id: string,
    { reason, decidedBy = null }: DecisionReason,
    alongside?: Alongside,
  ): Promise<StoredCommand> {
    return this.decide(id, alongside, async (recorder, object, command) => {
      const { tx } = recorder;
      const wasSent = mayHaveBeenSent(command);
      const status = wasSent || hasProgress(command.made) ? 'rejected' : 'skipped';
      const given = `an operator discarded it: ${reason}`;
      const isUnknown = wasSent && !hasProgress(command.made);
      const why = isUnknown ? `${given}; nobody knows whether ${command.platform} has it` : given;
      await this.decisions.insert(tx, { commandId: id, action: 'discard', reason, decidedBy });
      if (command.status === 'held') await closeHeld(recorder, command, status, why);
      // The instance that was sending it has let its lease expire.
      else {
        const unknown = command.status === 'sending' ? { ...command, status: 'uncertain' as const } : command;
        await recordRefused(recorder, object, unknown, status, why);
      }
      const isClosed = await closeIfDecided(recorder, command.propagationId);
      // A change whose last open write is held counts as decided already.
      return isClosed || command.status === 'held';
    });
  }

  /** @param work returns whether all platforms have decided on the change by it */
  private async decide(
    id: string,
    alongside: Alongside | undefined,
    work: (recorder: Recorder, object: LoadedObject, command: StoredCommand) => Promise<boolean>,
  ): Promise<StoredCommand> {
    const { customerId } = await this.find(id);
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const recorder = this.recorders.of(tx, id);
        // The caller's lock comes behind the customer's.
        const [object] = await Promise.all([lockObjectOf(recorder, id), alongside?.begun(tx.store)]);
        const command = await lockOpen(tx, id);
        if (object === undefined || object === 'gone') {
          throw new ApiError('CONFLICT_ERROR', 'The object that the command is for is gone');
        }
        await noteOutcome(recorder, command.propagationId, await work(recorder, object, command));
        const [after] = await commandsById(tx, [id]);
        if (after === undefined) throw notFound(id);
        await alongside?.ended(tx);
        return after;
      },
      { lockWaitMs: LEASE_MS },
    );
  }

  private async find(id: string): Promise<CommandState> {
    const [state] = await this.unitOfWork.run((store) => findCommands(store, { id }), { readOnly: true });
    if (state === undefined) throw notFound(id);
    return state;
  }
}

// When the command was held, its accepted change was undone, and its effects and the reason were recorded.
async function closeHeld(
  recorder: Recorder,
  held: StoredCommand,
  status: 'skipped' | 'rejected',
  why: string,
): Promise<void> {
  const { platformId, made } = held;
  if (platformId === null || made.changes.length === 0) await close(recorder, held, status, why, platformId);
  else await close(recorder, held, 'applied', partialWriteReason(held, restOf(held, why)), platformId);
}

function saveOpenOutcome(
  { tx, history }: Recorder,
  { propagationId, platform, platformId }: StoredCommand,
  status: 'pending' | 'uncertain',
): Promise<void> {
  return history.saveOutcome(tx, propagationId, platform, { status, reason: null, platformId });
}

/** Locks a command that an operator may decide on. */
async function lockOpen(tx: CustomerTransaction, id: string): Promise<StoredCommand> {
  const isLeased = await lockCommand(tx, id);
  const [command] = await commandsById(tx, [id]);
  if (isLeased === undefined || command === undefined) throw notFound(id);
  if (isLeased) {
    throw new ApiError('CONFLICT_ERROR', `Command ${id} is being sent or looked for; try again in a while`);
  }
  if (!['waiting', 'sending', 'uncertain', 'held'].includes(command.status)) {
    throw new ApiError('CONFLICT_ERROR', `Command ${id} is decided: ${command.status}`);
  }
  return command;
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `No command has ID ${id}`);
}
