import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import type { WriteOutcome } from '../../connector';
import { ChangeOutcomes } from '../../live/change-outcomes';
import { hasWantedValue, compareFields } from '../pages/compare-fields';
import { readRecord } from '../reading/read-record';
import { isOlder, readFresh, versionIn } from './fresh-record';
import { currencyRefusal } from './payment-page';
import { goneReason, otherValuesReason } from './reasons';
import { refusalOf } from './refusals';
import type { SendResult } from './send-result';
import { changesShownSince, changesNotShown } from './changes-shown';
import { changesMadeBy, isShownUnchanged, isMade } from './step-result';
import { stepOf, type UpdateCommand, type UpdateStep } from './update-step';
import type { WriteSession } from './write-session';

/** The number of concurrent versions after which the update ends as a conflict. */
const MOST_STALE = 3;

/**
 * Updates a record: reads it, sends the missing changes against the version just read, and reads it back. A repeated
 * write finds its fields as wanted and sends nothing. Changes by other users before, between and after the calls are
 * compared with the calls' effects and are never overwritten.
 *
 * @param base the record that the change was planned for; undefined if it is not known
 * @throws PlatformError
 */
export async function updateRecord(
  writer: WriteSession,
  command: UpdateCommand,
  base: JsonObject | undefined,
): Promise<WriteOutcome> {
  const { entityType, platformId, changes } = command;
  const clashesWithBase = (record: JsonObject): boolean =>
    compareFields(entityType, changes, base, record).clashes.length > 0;
  const first = await readFresh(
    writer,
    entityType,
    platformId,
    (record) => isOlder(record, base) && clashesWithBase(record),
  );
  if (first === undefined) return { status: 'rejected', reason: goneReason(entityType) };
  const { session, signal } = writer;
  const open = await changesNotShown(session, entityType, changes, first.record, signal);
  const made = await changesShownSince(session, command, base, open, signal);
  return new Update(writer, command, base, first.record, made).run();
}

/** The run of one update, from the record as it was first seen. */
class Update {
  private readonly outcomes: ChangeOutcomes;
  /**
   * Versions that a call of this update has replaced or that the platform reports as stale. A record with such a
   * version is shown late.
   */
  private readonly over = new Set<string>();
  private stale = 0;
  /**
   * Some of the changes are already made. An earlier attempt may have made all of them before another user overwrote
   * some.
   */
  private readonly mayBeMade: boolean;

  /**
   * @param before the known record. A field that has another value by now was changed by another user
   * @param made changes that an earlier attempt has made
   */
  constructor(
    private readonly writer: WriteSession,
    private readonly command: UpdateCommand,
    private before: JsonObject | undefined,
    private current: JsonObject,
    made: readonly NativeChange[],
  ) {
    this.outcomes = new ChangeOutcomes(command.changes, writer.progress);
    this.outcomes.noteMade(made);
    this.mayBeMade = made.length > 0;
  }

  async run(): Promise<WriteOutcome> {
    for (;;) {
      const { writer, command, outcomes, current } = this;
      const { entityType } = command;
      const open = await changesNotShown(
        writer.session,
        entityType,
        outcomes.undecided,
        current,
        writer.signal,
      );
      const { todo, clashes } = compareFields(entityType, open, this.before, current);
      const isTooStale = todo.length > 0 && this.stale > MOST_STALE;
      if ((clashes.length > 0 || isTooStale) && !outcomes.hasMadeAny) return { status: 'conflict', current };
      outcomes.noteRefused(
        clashes,
        clashWords(clashes.map((clash) => withTheirs(clash, current))),
        this.mayBeMade,
      );
      if (todo.length === 0) return outcomes.writeOutcome(current);
      const reason = isTooStale
        ? 'platform_b was changed by others each time it was tried'
        : (refusalOf({ ...command, changes: todo }, current) ??
          currencyRefusal(writer.session.settings, entityType, todo));
      if (reason !== undefined) return this.refused(todo, reason);
      // Where both parts of a document were stale together, the header alone may have renewed the line.
      const step = stepOf(command, todo, current, this.stale > 0);
      const end = await this.sent(step, todo, await step.send(writer));
      if (end !== undefined) return end;
    }
  }

  /** @returns undefined where there may be more to do */
  private async sent(
    step: UpdateStep,
    todo: readonly NativeChange[],
    sent: SendResult,
  ): Promise<WriteOutcome | undefined> {
    switch (sent.kind) {
      case 'done':
        return this.readBack(step, sent);
      case 'duplicate':
        return this.refusedStep(step, todo, sent.reason);
      case 'ended': {
        const { outcome } = sent;
        if (outcome.status === 'rejected') return this.refusedStep(step, todo, outcome.reason);
        return outcome.status === 'deferred' ? this.putOff(outcome) : outcome;
      }
      case 'stale':
        // The two parts of a document may only have been stale for one another.
        if (!step.isBatch) this.over.add(versionIn(this.command.entityType, this.current));
        return this.readAgain();
      case 'gone':
        return this.readAgain();
    }
  }

  private async readAgain(): Promise<WriteOutcome | undefined> {
    const { writer, command } = this;
    this.stale += 1;
    const seen = await readFresh(writer, command.entityType, command.platformId, (record) =>
      this.isOver(record),
    );
    if (seen === undefined) return this.gone();
    if (seen.isLate) {
      const reason = 'platform_b still shows an older version of the record';
      return this.putOff({ status: 'deferred', until: writer.retryTime(), reason });
    }
    this.current = seen.record;
    return undefined;
  }

  private async readBack(
    step: UpdateStep,
    sent: Extract<SendResult, { readonly kind: 'done' }>,
  ): Promise<WriteOutcome | undefined> {
    const { writer, outcomes, current } = this;
    const { session, signal } = writer;
    const { entityType, platformId } = this.command;
    const made = changesMadeBy(step, current, sent);
    writer.progress.noteChanges(step.changes.filter((change) => isMade(entityType, change, sent, current)));
    const mayBeLate = !isShownUnchanged(entityType, current, sent);
    this.over.add(versionIn(entityType, current));
    this.before = made;
    const missingIn = (record: JsonObject, changes: readonly NativeChange[]) =>
      changesNotShown(session, entityType, changes, record, signal);
    const seen = await readFresh(
      writer,
      entityType,
      platformId,
      async (record) =>
        mayBeLate &&
        (isOlder(record, sent.body) ||
          (this.isOver(record) && (await missingIn(record, step.changes)).length > 0)),
    );
    if (seen === undefined) {
      this.current = made;
      outcomes.noteMade(step.changes);
      return this.gone();
    }
    // The platform confirmed the write and does not show it yet. Settling checks later.
    if (seen.isLate) return { status: 'uncertain' };
    const { record } = seen;
    const missing = await missingIn(record, outcomes.wanted);
    const isOwn = (change: NativeChange): boolean => step.changes.includes(change);
    outcomes.noteMade(step.changes.filter((change) => !missing.includes(change)));
    outcomes.noteReplaced(
      missing.filter((change) =>
        isOwn(change) ? isMade(entityType, change, sent, record) : hasWantedValue(entityType, change, made),
      ),
    );
    const otherwise = outcomes.undecided.filter((change) => isOwn(change));
    outcomes.noteRefused(otherwise, otherValuesReason(otherwise, record));
    this.current = record;
    return undefined;
  }

  private isOver(record: JsonObject): boolean {
    return this.over.has(versionIn(this.command.entityType, record));
  }

  /** The platform's code may commit within a batch, so a part of a refused batch may have been applied. */
  private async refusedStep(
    step: UpdateStep,
    todo: readonly NativeChange[],
    reason: string,
  ): Promise<WriteOutcome> {
    if (!step.isBatch) return this.refused(todo, reason);
    const { writer, command, outcomes } = this;
    const { session, signal } = writer;
    const record = await readRecord(session, command.entityType, command.platformId, signal);
    if (record === undefined) return this.refused(todo, reason);
    const missing = await changesNotShown(session, command.entityType, todo, record, signal);
    outcomes.noteMade(todo.filter((change) => !missing.includes(change)));
    this.current = record;
    return this.refused(missing, reason);
  }

  private refused(changes: readonly NativeChange[], reason: string): WriteOutcome {
    this.outcomes.noteRefused(changes, reason);
    return this.outcomes.writeOutcome(this.current);
  }

  private gone(): WriteOutcome {
    const { outcomes, command } = this;
    const reason = goneReason(command.entityType);
    return outcomes.hasMadeAny ? this.refused(outcomes.undecided, reason) : { status: 'rejected', reason };
  }

  // Settling will find the changes that the platform has already accepted.
  private putOff(outcome: Extract<WriteOutcome, { status: 'deferred' }>): WriteOutcome {
    return this.writer.hasSent ? { status: 'uncertain' } : outcome;
  }
}

function withTheirs({ path, value }: NativeChange, record: JsonObject) {
  return { path, theirs: valueAt(record, path), mine: value };
}
