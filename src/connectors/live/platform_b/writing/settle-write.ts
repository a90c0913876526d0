import type { JsonObject } from '@app/mapper';
import type { Attempt, Settlement, WriteCommand } from '../../../connector';
import { standingOf } from '../pages/wanted';
import { readRecord } from '../reading/read-record';
import type { Session } from '../session';
import { candidatesFor } from './candidates';
import { readNotes, remainingOf, type PaymentNotes } from './creation-notes';
import { later } from './sent';
import { stillWanted } from './standing';

/**
 * Looks whether a write happened.
 *
 * @param lags milliseconds after the attempt before each further look for a record that is not there
 * @throws PlatformError; NotPermitted
 */
export async function settleWrite(
  session: Session,
  command: WriteCommand,
  attempt: Attempt,
  lags: readonly number[],
  signal: AbortSignal,
): Promise<Settlement> {
  return command.platformId === null
    ? settleCreation(session, command, attempt, lags, signal)
    : settleUpdate(session, { ...command, platformId: command.platformId }, attempt.before, signal);
}

// A change that is sent again names the version that was just read. Where the first one is still on its way, one of the two
// finds another version and does nothing. Where somebody else has changed the same fields since, nobody can tell.
async function settleUpdate(
  session: Session,
  { entityType, platformId, changes }: WriteCommand & { readonly platformId: string },
  before: JsonObject | undefined,
  signal: AbortSignal,
): Promise<Settlement> {
  const current = await readRecord(session, entityType, platformId, signal);
  if (current === undefined) {
    return {
      status: 'held',
      reason:
        'it is not there any more, or not to be seen; nobody can tell whether the change was made before',
    };
  }
  const open = await stillWanted(session, entityType, changes, current, signal);
  if (open.length === 0) return { status: 'applied', payload: current };
  const { clashes } = standingOf(entityType, open, before, current);
  if (clashes.length === 0) return { status: 'not_applied' };
  const names = clashes.map(({ path }) => path.join('.')).join(', ');
  return {
    status: 'held',
    reason: `somebody else has changed ${names}; nobody can tell whether the change was made before`,
  };
}

async function settleCreation(
  session: Session,
  command: WriteCommand,
  { notes, looks = 1, startedAt }: Attempt,
  lags: readonly number[],
  signal: AbortSignal,
): Promise<Settlement> {
  const before = readNotes(notes);
  const [found, ...others] = await candidatesFor(session, command, before, signal);
  if (found !== undefined && others.length > 0) {
    return {
      status: 'held',
      reason: `${others.length + 1} records came up that could be the one: ${[found, ...others].slice(0, 5).join(', ')}`,
    };
  }
  if (found !== undefined) {
    const payload = await readRecord(session, command.entityType, found, signal);
    return payload === undefined ? { status: 'uncertain' } : { status: 'applied', payload };
  }
  const lag = lags[looks - 1];
  if (lag !== undefined) return { status: 'uncertain', until: later(startedAt, lag) };
  if (before.payment !== undefined && (await isPosted(session, command, before.payment, signal))) {
    return {
      status: 'held',
      reason: 'its journal was posted meanwhile; look among the posted entries whether the payment is there',
    };
  }
  return { status: 'not_applied' };
}

/** Whether a journal was posted since: its lines are gone, and its invoices are paid. */
async function isPosted(
  session: Session,
  command: WriteCommand,
  { last, remaining }: PaymentNotes,
  signal: AbortSignal,
): Promise<boolean> {
  if (last !== null && (await readRecord(session, 'payment', last, signal)) === undefined) return true;
  return remaining !== null && (await remainingOf(session, command, signal)) !== remaining;
}
