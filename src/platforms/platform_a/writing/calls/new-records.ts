import {
  isJsonArray,
  isJsonObject,
  ownMember,
  valueAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type StoredEntityType,
} from '@app/mapper';
import type { Settlement, WriteCommand } from '../../../connector';
import type { ExistingRecord } from '../../../live/writing/write-steps';
import { findRecord } from '../../reading/find-record';
import { compareIds, idText } from '../../wire/ids';
import { listAt, readWhole } from '../../wire/list';
import { ListChanged } from '../../wire/read-page';
import { ofCompany, ofProject, paths, storedViews } from '../../wire/resources';
import type { Query } from '../../wire/session';
import { contractKindOf } from '../fields/bodies';
import { sameValue, wantedOf } from '../fields/values';
import { parentsOf, type WriteContext } from '../write-context';

/** Fields that identify a new record, if the command sets them. */
const naturalKeys: Readonly<Record<StoredEntityType, readonly string[]>> = {
  project: ['project_number', 'name'],
  customer: ['name'],
  contract: ['number', 'title', 'vendor.id'],
  invoice: ['invoice_number', 'period_id', 'requisition_start', 'requisition_end', 'billing_date'],
  payment: ['check_number', 'amount', 'date', 'invoice_number', 'requisition_id'],
};

/** The field among them by which people know a record. */
const ownKeys: Readonly<Record<StoredEntityType, string>> = {
  project: 'project_number',
  customer: 'name',
  contract: 'number',
  invoice: 'invoice_number',
  payment: 'check_number',
};

/**
 * The fields among them that a list row shows differently than the record does: a list row names a vendor by its ID in
 * the project.
 */
const shownOtherwiseInRows: ReadonlySet<string> = new Set(['vendor.id']);

/** The most new records that are read one by one. */
const MOST_LOOKED_AT = 25;

/** The IDs in the list in which a record will appear, before it is created, and whether these were all. */
export interface NotedIds {
  readonly ids: readonly string[];
  readonly whole: boolean;
}

/** The notes to store about the IDs. */
export function notesOf({ ids, whole }: NotedIds): JsonValue {
  return { ids, ...(!whole && { whole }) };
}

/** The IDs in notes; undefined if the notes are invalid. */
export function notedIds(notes: JsonValue | undefined): NotedIds | undefined {
  if (notes === undefined || !isJsonObject(notes)) return undefined;
  const ids = ownMember(notes, 'ids');
  if (!isJsonArray(ids)) return undefined;
  return { ids: ids.filter((id) => typeof id === 'string'), whole: ownMember(notes, 'whole') !== false };
}

/**
 * Reads the IDs in the narrowest lists in which the command's new record will appear, and whether these are all.
 *
 * @throws PlatformError, NotReadable
 */
export async function idsInNarrowestLists(work: WriteContext): Promise<NotedIds> {
  const { rows, whole } = await narrowestLists(work);
  return { ids: [...rows.keys()].sort(compareIds), whole };
}

/** The rows of those lists by their IDs, and whether these are all. @throws as {@link idsInNarrowestLists} does */
async function narrowestLists({ session, command }: WriteContext): Promise<{
  readonly rows: ReadonlyMap<string, JsonObject>;
  readonly whole: boolean;
}> {
  const parents = parentsOf(command, undefined);
  const found = new Map<string, JsonObject>();
  let isWhole = true;
  for (const [path, query] of listsToSearch(
    command,
    ofCompany(session),
    session.settings.company_id,
    parents,
  )) {
    const { rows, whole } = await readWhole(session, listAt(session, path, query));
    isWhole &&= whole;
    for (const row of rows) {
      const id = idText(ownMember(row, 'id'));
      if (id !== undefined) found.set(id, row);
    }
  }
  return { rows: found, whole: isWhole };
}

function listsToSearch(
  command: WriteCommand,
  company: Query,
  companyId: string,
  parents: ReturnType<typeof parentsOf>,
): readonly (readonly [path: string, query: Query])[] {
  const wanted = (name: string): string | undefined => {
    const value = wantedOf(command, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const project = parents?.project ?? '';
  const contract = parents?.contract ?? '';
  switch (command.entityType) {
    case 'project': {
      // Another user may edit one of the two before the service looks.
      const keys = ['project_number', 'name'].flatMap((name): Query => {
        const value = wanted(name);
        return value === undefined ? [] : [[`filters[${name}]`, value]];
      });
      return keys.map((key) => [paths.projectList, [...company, ['filters[by_status]', 'All'], key]]);
    }
    case 'customer':
      return [
        [paths.vendors, [...company, ...storedViews.vendors, ['filters[search]', wanted('name') ?? '']]],
        [paths.inactiveVendors(companyId), storedViews.vendors],
      ];
    case 'contract':
      return [[contractKindOf(command.variant).path, [...ofProject(project), ['view', 'compact']]]];
    case 'invoice':
      return [[paths.requisitions, [...ofProject(project), ['filters[commitment_id]', contract]]]];
    case 'payment':
      return [[paths.payments, [...ofProject(project), ['contract_id', contract]]]];
  }
}

/**
 * Reads the records that have appeared since the notes were taken and that may be the command's new record: those with
 * all of its identifying fields, otherwise those that another user may have edited.
 *
 * @param withEdited whether to look for those too
 * @returns a settlement if there are too many to read one by one
 * @throws PlatformError; NotReadable if one of them cannot be read; ListChanged if none is found in an incomplete list
 */
export async function newRecordsSince(
  work: WriteContext,
  noted: readonly string[],
  withEdited: boolean,
): Promise<readonly ExistingRecord[] | Settlement> {
  const { session, vendors, command } = work;
  const before = new Set(noted);
  const { rows, whole } = await narrowestLists(work);
  const appeared = [...rows].filter(([id]) => !before.has(id));
  const parents = parentsOf(command, undefined);
  const edited: ExistingRecord[] = [];
  for (const likeness of withEdited ? (['whole', 'edited'] as const) : (['whole'] as const)) {
    const ids = appeared.flatMap(([id, row]) => (likenessOfRow(command, row) === likeness ? [id] : []));
    if (ids.length > MOST_LOOKED_AT) {
      const reason = `${command.platform} has ${ids.length} new records that could be it, more than are looked at`;
      return { status: 'held', reason };
    }
    const found: ExistingRecord[] = [];
    for (const id of ids.sort(compareIds)) {
      const record = (await findRecord({ session, vendors }, { ...command, platformId: id }, parents))
        ?.payload;
      const shown = record && likenessOf(command, record);
      if (record !== undefined && shown === 'whole') found.push({ id, record });
      if (record !== undefined && shown === 'edited' && withEdited) edited.push({ id, record });
    }
    if (found.length > 0) return found;
  }
  if (edited.length === 0 && !whole) throw new ListChanged();
  return edited;
}

/** The fields among them by which a payment names its invoice. One check may pay several. */
const invoiceKeys: ReadonlySet<string> = new Set(['invoice_number', 'requisition_id']);

/**
 * How far a record has the command's values in the identifying fields: in the whole of them, or as after an edit, in
 * the one by which people know it, or in all but one. A payment of another invoice is another payment.
 */
type Likeness = 'whole' | 'edited' | undefined;

function likenessOf(command: WriteCommand, record: JsonObject): Likeness {
  return likeness(command, ({ path, value }) =>
    sameValue(command.entityType, path, valueAt(record, path), value),
  );
}

/** How far the record of a row may have them: lists show a part of a record. Pure. */
function likenessOfRow(command: WriteCommand, row: JsonObject): Likeness {
  return likeness(command, ({ path, value }) => {
    const shown = valueAt(row, path) ?? null;
    const isTold = shown !== null && !shownOtherwiseInRows.has(path.join('.'));
    return !isTold || sameValue(command.entityType, path, shown, value);
  });
}

function likeness(command: WriteCommand, isSame: (change: NativeChange) => boolean): Likeness {
  const changes = keyChanges(command);
  const differing = changes.filter((change) => !isSame(change));
  if (differing.length === 0) return 'whole';
  const isOfOtherInvoice = differing.some(({ path }) => invoiceKeys.has(path.join('.')));
  if (command.entityType === 'payment' && isOfOtherInvoice) return undefined;
  const own = changes.find((change) => isOwnKey(command, change));
  if (own !== undefined && !differing.includes(own)) return 'edited';
  // Without a key of its own, a record needs more than one other value to be recognised by.
  const fewest = own === undefined ? 2 : 1;
  return differing.length === 1 && changes.length > fewest ? 'edited' : undefined;
}

function isOwnKey({ entityType }: WriteCommand, { path, value }: NativeChange): boolean {
  return path.join('.') === ownKeys[entityType] && value !== '';
}

function keyChanges({ entityType, changes }: WriteCommand): WriteCommand['changes'] {
  const keys = naturalKeys[entityType];
  return changes.filter(({ path, value }) => value !== null && keys.includes(path.join('.')));
}
