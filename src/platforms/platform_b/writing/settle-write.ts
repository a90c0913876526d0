import type { Attempt, Settlement, WriteCommand } from '../../connector';
import type { JsonObject } from '@app/mapper';
import { nextSettlingTime } from '../../live/settling-time';
import { documentPage, linesIn } from '../pages/pages';
import { compareFields } from '../pages/compare-fields';
import { readRecord } from '../reading/read-record';
import type { Session } from '../session';
import { candidatesFor } from './candidates';
import { finished } from './create-record';
import { readNotes, remainingOf, type PaymentNotes } from './creation-notes';
import { isOlder } from './fresh-record';
import { goneReason } from './reasons';
import { changesShownSince, changesNotShown } from './changes-shown';
import { changesShownOtherwise } from './changes-shown-otherwise';
import type { WriteSession } from './write-session';

/**
 * Checks whether a write happened.
 *
 * @param lags milliseconds after the end of the attempt at which to check again for a missing record
 * @throws PlatformError; NotPermitted
 */
export async function settleWrite(
  writer: WriteSession,
  command: WriteCommand,
  attempt: Attempt,
  lags: readonly number[],
): Promise<Settlement> {
  return command.platformId === null
    ? settleCreation(writer, command, attempt, lags)
    : settleUpdate(writer, { ...command, platformId: command.platformId }, attempt, lags);
}

// A repeated change names the version just read. If the first request is still on its way, one of the two finds
// another version and does nothing. If another user has changed the same fields since, the result is `held`.
async function settleUpdate(
  { session, signal, progress: made }: WriteSession,
  command: WriteCommand & { readonly platformId: string },
  attempt: Attempt,
  lags: readonly number[],
): Promise<Settlement> {
  const { entityType, platformId, changes } = command;
  const { before } = attempt;
  const current = await readRecord(session, entityType, platformId, signal);
  if (current === undefined) {
    return {
      status: 'held',
      reason:
        'it is not there any more, or not to be seen; nobody can tell whether the change was made before',
    };
  }
  const open = await changesNotShown(session, entityType, changes, current, signal);
  if (open.length === 0) return { status: 'applied', payload: current };
  made.noteChanges(await changesShownSince(session, command, before, open, signal));
  const { clashes } = compareFields(entityType, open, before, current);
  // The platform may show the record late. A record older than the one that the change was planned for is certainly
  // late.
  const isLate = clashes.length > 0 && isOlder(current, before);
  const waits = isLate ? lags : clashes.length > 0 ? [] : lags.slice(0, 1);
  const until = nextSettlingTime(attempt, waits);
  if (until !== undefined) return { status: 'uncertain', until };
  if (clashes.length === 0) return { status: 'not_applied' };
  const names = clashes.map(({ path }) => path.join('.')).join(', ');
  return {
    status: 'held',
    reason: `somebody else has changed ${names}; nobody can tell whether the change was made before`,
  };
}

async function settleCreation(
  writer: WriteSession,
  command: WriteCommand,
  attempt: Attempt,
  lags: readonly number[],
): Promise<Settlement> {
  const { session, signal } = writer;
  const { notes, made: { createdAs } = { changes: [] } } = attempt;
  const until = nextSettlingTime(attempt, lags);
  if (createdAs !== undefined) {
    const record = await readRecord(session, command.entityType, createdAs, signal);
    if (record !== undefined) return settleCreated(writer, command, { id: createdAs, record }, until);
    if (until !== undefined) return { status: 'uncertain', until };
    // The platform had created it. Creating it again would make a duplicate, whatever happened to the first record.
    return { status: 'held', reason: goneReason(command.entityType) };
  }
  const before = readNotes(notes);
  const [found, ...others] = await candidatesFor(session, command, before, signal);
  if (found !== undefined && others.length > 0) {
    return {
      status: 'held',
      reason: `${others.length + 1} records came up that could be the one: ${[found, ...others].slice(0, 5).join(', ')}`,
    };
  }
  if (found !== undefined) {
    const record = await readRecord(session, command.entityType, found, signal);
    if (record === undefined) return { status: 'uncertain', ...(until && { until }) };
    const unlike = await changesShownOtherwise(session, command, record, signal);
    if (unlike.length > 0) {
      // The command's own record may still appear, and this one must not be overwritten.
      if (until !== undefined) return { status: 'uncertain', until };
      const fields = unlike.map(({ path }) => path.join('.')).join(', ');
      return {
        status: 'held',
        reason: `a new record came up that could be the one: ${found} has another ${fields}`,
      };
    }
    writer.progress.noteCreated(found);
    return settleCreated(writer, command, { id: found, record }, until);
  }
  if (until !== undefined) return { status: 'uncertain', until };
  const why = before.payment && (await mayBePosted(session, command, before.payment, signal));
  return why === undefined ? { status: 'not_applied' } : { status: 'held', reason: why };
}

/**
 * Sends the missing changes of a record that the command has created, except for a line that the platform may only
 * not show yet.
 */
async function settleCreated(
  writer: WriteSession,
  command: WriteCommand,
  { id, record }: { readonly id: string; readonly record: JsonObject },
  until: Date | undefined,
): Promise<Settlement> {
  if (until !== undefined && lacksLine(command, record)) return { status: 'uncertain', until };
  const made = await finished(writer, command, id);
  return made.status === 'applied' ? made : { status: 'uncertain', ...(until && { until }) };
}

/** Whether a document has no line although the command sets an amount. A second line would double the amount. */
function lacksLine({ entityType, changes }: WriteCommand, record: JsonObject): boolean {
  const total = documentPage(entityType)?.total;
  return (
    total !== undefined &&
    linesIn(entityType, record).length === 0 &&
    changes.some(({ path, value }) => path[0] === total && value !== null)
  );
}

/** Why a payment may already be posted; undefined if its journal was certainly not posted since. */
async function mayBePosted(
  session: Session,
  command: WriteCommand,
  { last, remaining }: PaymentNotes,
  signal: AbortSignal,
): Promise<string | undefined> {
  const look = 'look among the posted entries whether the payment is there';
  // Posting takes the lines of a journal away, and lowers what is to be paid of their invoices. Here neither would show.
  if (last === null && remaining === null) {
    return `nobody can tell whether its journal was posted meanwhile; ${look}`;
  }
  const isPosted =
    (last !== null && (await readRecord(session, 'payment', last, signal)) === undefined) ||
    (remaining !== null && (await remainingOf(session, command, signal)) !== remaining);
  return isPosted ? `its journal was posted meanwhile; ${look}` : undefined;
}
