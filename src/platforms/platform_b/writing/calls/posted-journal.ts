import { readRecord } from '../../reading/read-record';
import { remainingOf, type PaymentNotes } from './creation-notes';
import type { WriteContext } from '../write-context';

/**
 * Why a payment may already be posted; undefined if its journal was certainly not posted since.
 *
 * @throws PlatformError
 */
export async function mayBePosted(
  { session, command, signal }: WriteContext,
  { last, remaining }: PaymentNotes,
): Promise<string | undefined> {
  const look = 'look among the posted entries whether the payment is there';
  // Posting removes the lines of a journal and lowers the remaining amounts of their invoices. The notes have neither.
  if (last === null && remaining === null) {
    return `nobody can tell whether its journal was posted meanwhile; ${look}`;
  }
  const isPosted =
    (last !== null && (await readRecord(session, 'payment', last, signal)) === undefined) ||
    (remaining !== null && (await remainingOf(session, command, signal)) !== remaining);
  return isPosted ? `its journal was posted meanwhile; ${look}` : undefined;
}
