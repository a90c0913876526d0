import { ownMember, type JsonObject } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { readAll } from '../../reading/read-list';
import type { Session } from '../../session';
import { idOf, type CreationNotes } from './creation-notes';
import { editedSearches, keySearch, lineSearch, type KeySearch } from './natural-key';

/**
 * The records that a creation may have made: they have its key, and the notes do not name them. A payment with the line
 * number that the command assigned is the only candidate.
 *
 * @param withEdited whether to include records that show only a part of the key, and the payment on the command's line of the
 *   journal: another user may have edited them
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
  const known = new Set(ids);
  const newIn = async ({ url, fits }: KeySearch): Promise<readonly JsonObject[]> => {
    const records = await readAll(session, url, signal);
    return records.filter((record) => fits(record) && !idOf(record).some((id) => known.has(id)));
  };
  const found = await newIn(keySearch(session.settings, command, payment?.journal));
  if (payment === undefined) {
    if (found.length > 0 || !withEdited) return found.flatMap(idOf);
    const edited = new Set<string>();
    for (const search of editedSearches(session.settings, command)) {
      for (const record of await newIn(search)) for (const id of idOf(record)) edited.add(id);
    }
    return [...edited];
  }
  const isOnLine = (record: JsonObject): boolean => ownMember(record, 'lineNumber') === payment.line;
  const ours = found.filter(isOnLine);
  if (ours.length === 1) return ours.flatMap(idOf);
  if (!withEdited) return found.flatMap(idOf);
  const edited = (await newIn(lineSearch(session.settings, command, payment))).filter(isOnLine);
  return [...new Set([...found, ...edited].flatMap(idOf))];
}
