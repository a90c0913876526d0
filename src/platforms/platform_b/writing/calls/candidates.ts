import { ownMember } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { readAll } from '../../reading/read-list';
import type { Session } from '../../session';
import { idOf, type CreationNotes } from './creation-notes';
import { keySearch } from './natural-key';

/**
 * The records that a creation may have made: they have its key, and the notes do not name them. A payment with the line
 * number that the command assigned is the only candidate.
 *
 * @throws PlatformError; NotPermitted
 */
export async function candidatesFor(
  session: Session,
  command: WriteCommand,
  { ids, payment }: CreationNotes,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { url, fits } = keySearch(session.settings, command, payment?.journal);
  const known = new Set(ids);
  const found = (await readAll(session, url, signal)).filter(
    (record) => fits(record) && !idOf(record).some((id) => known.has(id)),
  );
  const ours = found.filter(
    (record) => payment !== undefined && ownMember(record, 'lineNumber') === payment.line,
  );
  return (ours.length === 1 ? ours : found).flatMap(idOf);
}
