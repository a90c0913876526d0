import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import type { WriteOutcome } from '../../connector';
import { Parts } from '../../live/parts';
import { isAsWanted, standingOf } from '../pages/wanted';
import { readRecord } from '../reading/read-record';
import { isOlder, readFresh, versionIn } from './fresh-record';
import { currencyRefusal } from './payment-page';
import { goneReason, madeOf } from './reasons';
import { refusalOf } from './refusals';
import type { Sent } from './sent';
import { madeSince, stillWanted } from './standing';
import { madeBy, saysUnchanged, wasMade } from './step-result';
import { stepOf, type UpdateCommand, type UpdateStep } from './update-step';
import type { Writer } from './writer';

/** Versions that may come between, before somebody else is asked to compare anew. */
const MOST_STALE = 3;

/**
 * Brings a record to what is wanted of it: reads it, sends what is missing for the version just read, and reads it back.
 * A write that comes again finds its fields as wanted, and does nothing. What somebody else changes before, between and
 * behind the calls is compared with what the calls have made: it is never written over.
 *
 * @param base the record that the change was made for; undefined where that is not known
 * @throws PlatformError
 */
export async function updateRecord(
  writer: Writer,
  command: UpdateCommand,
  base: JsonObject | undefined,
): Promise<WriteOutcome> {
  const { entityType, platformId, changes } = command;
  const clashesWithBase = (record: JsonObject): boolean =>
    standingOf(entityType, changes, base, record).clashes.length > 0;
  const first = await readFresh(
    writer,
    entityType,
    platformId,
    (record) => isOlder(record, base) && clashesWithBase(record),
  );
  if (first === undefined) return { status: 'rejected', reason: goneReason(entityType) };
  const { session, signal } = writer;
  const open = await stillWanted(session, entityType, changes, first.record, signal);
  const made = await madeSince(session, command, base, open, signal);
  return new Update(writer, command, base, first.record, made).run();
}

/** The run of one update, from the record as it was first seen. */
class Update {
  private readonly parts: Parts;
  /** Versions that a call of ours has replaced, or that the platform calls stale: who shows one shows it late. */
  private readonly over = new Set<string>();
  private stale = 0;
  /** Something of it is there already: an attempt before may have made all of it, whatever it was written over with since. */
  private readonly mayBeMade: boolean;

  /**
   * @param before what is known of the record: a field with another value by now was changed by somebody else
   * @param made changes that an attempt before has made
   */
  constructor(
    private readonly writer: Writer,
    private readonly command: UpdateCommand,
    private before: JsonObject | undefined,
    private current: JsonObject,
    made: readonly NativeChange[],
  ) {
    this.parts = new Parts(command.changes, writer.made);
    this.parts.take(made);
    this.mayBeMade = made.length > 0;
  }

  async run(): Promise<WriteOutcome> {
    for (;;) {
      const { writer, command, parts, current } = this;
      const { entityType } = command;
      const open = await stillWanted(writer.session, entityType, parts.left, current, writer.signal);
      const { todo, clashes } = standingOf(entityType, open, this.before, current);
      const isTooStale = todo.length > 0 && this.stale > MOST_STALE;
      if ((clashes.length > 0 || isTooStale) && !parts.hasTaken) return { status: 'conflict', current };
      parts.refuse(clashes, clashWords(clashes.map((clash) => withTheirs(clash, current))), this.mayBeMade);
      if (todo.length === 0) return parts.end(current);
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
    sent: Sent,
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
      return this.putOff({ status: 'deferred', until: writer.soon(), reason });
    }
    this.current = seen.record;
    return undefined;
  }

  private async readBack(
    step: UpdateStep,
    sent: Extract<Sent, { readonly kind: 'done' }>,
  ): Promise<WriteOutcome | undefined> {
    const { writer, parts, current } = this;
    const { session, signal } = writer;
    const { entityType, platformId } = this.command;
    const made = madeBy(step, current, sent);
    writer.made.take(step.changes.filter((change) => wasMade(entityType, change, sent, current)));
    const mayBeLate = !saysUnchanged(entityType, current, sent);
    this.over.add(versionIn(entityType, current));
    this.before = made;
    const missingIn = (record: JsonObject, changes: readonly NativeChange[]) =>
      stillWanted(session, entityType, changes, record, signal);
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
      parts.take(step.changes);
      return this.gone();
    }
    // It says that it did it, and does not show it: whoever settles it looks later.
    if (seen.isLate) return { status: 'uncertain' };
    const { record } = seen;
    const missing = await missingIn(record, parts.wanted);
    const isOwn = (change: NativeChange): boolean => step.changes.includes(change);
    parts.take(step.changes.filter((change) => !missing.includes(change)));
    parts.replace(
      missing.filter((change) =>
        isOwn(change) ? wasMade(entityType, change, sent, record) : isAsWanted(entityType, change, made),
      ),
    );
    const otherwise = parts.left.filter((change) => isOwn(change));
    parts.refuse(otherwise, madeOf(otherwise, record));
    this.current = record;
    return undefined;
  }

  private isOver(record: JsonObject): boolean {
    return this.over.has(versionIn(this.command.entityType, record));
  }

  /** The code of the platform may commit within a batch: what it has refused as a whole may be there in part. */
  private async refusedStep(
    step: UpdateStep,
    todo: readonly NativeChange[],
    reason: string,
  ): Promise<WriteOutcome> {
    if (!step.isBatch) return this.refused(todo, reason);
    const { writer, command, parts } = this;
    const { session, signal } = writer;
    const record = await readRecord(session, command.entityType, command.platformId, signal);
    if (record === undefined) return this.refused(todo, reason);
    const missing = await stillWanted(session, command.entityType, todo, record, signal);
    parts.take(todo.filter((change) => !missing.includes(change)));
    this.current = record;
    return this.refused(missing, reason);
  }

  private refused(changes: readonly NativeChange[], reason: string): WriteOutcome {
    this.parts.refuse(changes, reason);
    return this.parts.end(this.current);
  }

  private gone(): WriteOutcome {
    const { parts, command } = this;
    const reason = goneReason(command.entityType);
    return parts.hasTaken ? this.refused(parts.left, reason) : { status: 'rejected', reason };
  }

  // What was taken before is seen again by whoever settles it.
  private putOff(outcome: Extract<WriteOutcome, { status: 'deferred' }>): WriteOutcome {
    return this.writer.hasSent ? { status: 'uncertain' } : outcome;
  }
}

function withTheirs({ path, value }: NativeChange, record: JsonObject) {
  return { path, theirs: valueAt(record, path), mine: value };
}
