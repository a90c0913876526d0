import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import { companyUrl, isGuid, literal, setUrl, viewOf, withOptions } from '../addresses';
import type { PlatformBSettings } from '../credentials';
import { pages } from '../pages/pages';
import type { Session } from '../session';
import { readAll } from './read-list';
import type { Target } from './scope-place';
import { NotPermitted } from './records-in';

/** The lists of a scope, and its known unreadable parts. */
export interface Targets {
  readonly targets: readonly Target[];
  readonly gaps: readonly string[];
}

/** A journal: a batch in which receipts are entered. */
export interface Journal {
  readonly id: string;
  readonly code: string;
}

/**
 * The lists of a scope. Payments can only be listed by journal, so their journals are looked up.
 *
 * @param since limits the lists to changes from this time on
 * @throws PlatformError
 */
export async function targetsOf(
  session: Session,
  entityType: StoredEntityType,
  since: string | undefined,
  signal: AbortSignal,
): Promise<Targets> {
  const { settings } = session;
  const url = setUrl(settings, entityType);
  const changed = since === undefined ? undefined : `lastModifiedDateTime ge ${since}`;
  const listOf = (within: string | undefined, name: string): Target => {
    const filter = [within, changed].filter((part) => part !== undefined).join(' and ');
    const options = {
      ...viewOf(entityType),
      ...(filter !== '' && { filter }),
      // In a complete reading, the first page reports the number of records, at no extra call.
      ...(changed === undefined ? { count: 'true' } : { orderby: 'lastModifiedDateTime' }),
    };
    return { url: withOptions(url, options), name };
  };
  if (entityType !== 'payment') return { targets: [listOf(undefined, pages[entityType].name)], gaps: [] };
  try {
    const journals = await journalsOf(session, signal);
    const gaps =
      journals.length === 0 && settings.journal !== undefined
        ? [`journal ${settings.journal}: there is no such journal`]
        : [];
    return {
      targets: journals.map(({ id, code }) =>
        listOf(`journalId eq ${id}`, `journal ${code}: customerPayments`),
      ),
      gaps,
    };
  } catch (error) {
    if (!(error instanceof NotPermitted)) throw error;
    return { targets: [], gaps: [`customerPaymentJournals (${error.status})`] };
  }
}

/** The journals of the connection: the journal of its settings, or all of them. @throws as {@link readAll} does */
export async function journalsOf(session: Session, signal: AbortSignal): Promise<readonly Journal[]> {
  const { settings } = session;
  const { journal } = settings;
  const filter = journal === undefined ? {} : { filter: `code eq ${literal(journal.trim().toUpperCase())}` };
  const url = withOptions(`${companyUrl(settings)}/customerPaymentJournals`, {
    select: 'id,code',
    ...filter,
  });
  const found = (await readAll(session, url, signal)).flatMap(journalIn);
  // A platform that ignores the filter returns all journals.
  return found.filter(({ code }) => isRead(settings, code));
}

/** Whether the settings leave a payment out of readings, because its journal is another one than theirs. */
export function isLeftOut(settings: PlatformBSettings, payment: JsonObject): boolean {
  const code = ownMember(payment, 'journalDisplayName');
  return typeof code === 'string' && !isRead(settings, code);
}

/** Whether readings contain the payments of the journal with this code. */
function isRead({ journal }: PlatformBSettings, code: string): boolean {
  return journal === undefined || code.toUpperCase() === journal.trim().toUpperCase();
}

function journalIn(record: JsonObject): Journal[] {
  const id = ownMember(record, 'id');
  const code = ownMember(record, 'code');
  return typeof id === 'string' && isGuid(id) && typeof code === 'string' ? [{ id, code }] : [];
}
