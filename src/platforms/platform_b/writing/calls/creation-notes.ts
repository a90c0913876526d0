import {
  isJsonArray,
  isJsonObject,
  ownMember,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { companyUrl, isGuid, setUrl, withOptions } from '../../addresses';
import { NO_GUID } from '../../pages/field-kinds';
import { wantedOf } from '../../pages/compare-fields';
import { readAll } from '../../reading/read-list';
import { NotPermitted, recordUnder } from '../../reading/records-in';
import { journalsOf } from '../../reading/targets';
import type { Session } from '../../session';
import { editedSearches, keySearch } from './natural-key';

/** The state right before a record was created, by which the new record is recognised. */
export interface CreationNotes {
  /** IDs of the records that had the key of the record to be created, or a part of it that another user may leave. */
  readonly ids: readonly string[];
  /** Only of a payment. */
  readonly payment?: PaymentNotes;
}

export interface PaymentNotes {
  /** The journal that it goes to. */
  readonly journal: string;
  /** The number of its line. A journal accepts each number once. */
  readonly line: number;
  /** ID of the journal's last line then; null for an empty journal. Posting the journal removes that line. */
  readonly last: string | null;
  /** The remaining amount of its invoice then, as JSON text; null if it is not known. */
  readonly remaining: string | null;
}

/** The distance between the numbers of two lines, so that others fit between. */
const LINE_STEP = 10_000;

/** Takes the notes before a record is created. @throws PlatformError; NotPermitted */
export async function notesFor(
  session: Session,
  command: WriteCommand,
  signal: AbortSignal,
): Promise<CreationNotes> {
  const payment = command.entityType === 'payment' ? await paymentNotes(session, command, signal) : undefined;
  // Without one journal to write to, the creation is refused, so it needs no notes.
  if (command.entityType === 'payment' && payment === undefined) return { ids: [] };
  const searches = [
    keySearch(session.settings, command, payment?.journal),
    ...editedSearches(session.settings, command),
  ];
  const ids = new Set<string>();
  for (const { url } of searches) {
    for (const record of await readAll(session, url, signal)) for (const id of idOf(record)) ids.add(id);
  }
  return { ids: [...ids], ...(payment !== undefined && { payment }) };
}

async function paymentNotes(
  session: Session,
  command: WriteCommand,
  signal: AbortSignal,
): Promise<PaymentNotes | undefined> {
  const [journal, ...others] = await journalsOf(session, signal);
  if (journal === undefined || others.length > 0) return undefined;
  const lastUrl = withOptions(setUrl(session.settings, 'payment'), {
    select: 'id,lineNumber',
    filter: `journalId eq ${journal.id}`,
    orderby: 'lineNumber desc',
    top: '1',
  });
  const [last] = await readAll(session, lastUrl, signal);
  const line = last === undefined ? 0 : Number(ownMember(last, 'lineNumber'));
  return {
    journal: journal.id,
    line: (Number.isSafeInteger(line) ? line : 0) + LINE_STEP,
    last: (last === undefined ? undefined : idOf(last)[0]) ?? null,
    remaining: await remainingOf(session, command, signal),
  };
}

/** The remaining amount of the invoice to which a payment is applied, as JSON text; null if it is not known. */
export async function remainingOf(
  session: Session,
  command: Pick<WriteCommand, 'changes'>,
  signal: AbortSignal,
): Promise<string | null> {
  const id = wantedOf(command, 'appliesToInvoiceId');
  if (typeof id !== 'string' || !isGuid(id) || id === NO_GUID) return null;
  const url = withOptions(`${companyUrl(session.settings)}/salesInvoices(${id})`, {
    select: 'id,remainingAmount',
  });
  try {
    const invoice = recordUnder(id, await session.read(url, signal));
    return stringifyJson(ownMember(invoice, 'remainingAmount') ?? null);
  } catch (error) {
    if (error instanceof NotPermitted) return null;
    throw error;
  }
}

/** Notes from their stored form. Members of another release that this one does not know are ignored. */
export function readNotes(value: JsonValue | undefined): CreationNotes {
  if (!isJsonObject(value)) return { ids: [] };
  const ids = ownMember(value, 'ids');
  const payment = ownMember(value, 'payment');
  const read = isJsonObject(payment) ? readPaymentNotes(payment) : undefined;
  return {
    ids: isJsonArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
    ...(read !== undefined && { payment: read }),
  };
}

/** Notes as they are stored. */
export function storedNotes({ ids, payment }: CreationNotes): JsonObject {
  return { ids, ...(payment !== undefined && { payment: { ...payment } }) };
}

function readPaymentNotes(value: JsonObject): PaymentNotes | undefined {
  const [journal, last, remaining] = ['journal', 'last', 'remaining'].map((name) => ownMember(value, name));
  const line = ownMember(value, 'line');
  if (typeof journal !== 'string' || typeof line !== 'number') return undefined;
  return {
    journal,
    line,
    last: typeof last === 'string' ? last : null,
    remaining: typeof remaining === 'string' ? remaining : null,
  };
}

/** The key of a record, if it shows one. */
export function idOf(record: JsonObject): string[] {
  const id = ownMember(record, 'id');
  return typeof id === 'string' ? [id] : [];
}
