import { ownMember, type JsonObject } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { readAll } from '../../reading/read-list';
import type { Session } from '../../session';
import { idOf, type CreationNotes } from './creation-notes';
import { keySearch, lineSearch } from './natural-key';

/**
 * The records that a creation may have made: they have its key, and the notes do not name them. A payment with the line
 * number that the command assigned is the only candidate.
 *
 * @param withEdited whether to include the payment on the command's line of the journal if it shows only a part of the
 *   key: another user may have edited it
 * @throws PlatformError; NotPermitted
 */
export async function candidatesFor(
  session: Session,
  command: WriteCommand,
  notes: CreationNotes,
  withEdited: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { ids, payment } = notes;
  const search = keySearch(session.settings, command, payment?.journal);
  const known = new Set(ids);
  const isNew = (record: JsonObject): boolean => !idOf(record).some((id) => known.has(id));
  const found = (await readAll(session, search.url, signal)).filter(
    (record) => search.fits(record) && isNew(record),
  );
  if (payment === undefined) return found.flatMap(idOf);
  const isOnLine = (record: JsonObject): boolean => ownMember(record, 'lineNumber') === payment.line;
  const ours = found.filter(isOnLine);
  if (ours.length === 1) return ours.flatMap(idOf);
  if (!withEdited) return found.flatMap(idOf);
  const line = lineSearch(session.settings, command, payment);
  const edited = (await readAll(session, line.url, signal)).filter(
    (record) => line.fits(record) && isOnLine(record) && isNew(record),
  );
  return [...new Set([...found, ...edited].flatMap(idOf))];
}
