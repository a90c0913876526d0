import {
  isJsonArray,
  isJsonObject,
  ownMember,
  valueAt,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import type { ExistingRecord } from '../../../live/writing/write-steps';
import { compareIds, idText } from '../../wire/ids';
import { listAt, readWhole } from '../../wire/list';
import { ofCompany, ofProject, paths, storedViews } from '../../wire/resources';
import type { Query } from '../../wire/session';
import { contractKindOf } from '../fields/bodies';
import { sameValue, wantedOf } from '../fields/values';
import { readCurrent, parentsOf, type WriteContext } from '../write-context';

/** Fields that identify a new record, if the command sets them. */
const naturalKeys: Readonly<Record<StoredEntityType, readonly string[]>> = {
  project: ['project_number', 'name'],
  customer: ['name'],
  contract: ['number', 'title', 'vendor.id'],
  invoice: ['invoice_number', 'period_id', 'requisition_start', 'requisition_end', 'billing_date'],
  payment: ['check_number', 'amount', 'date', 'invoice_number', 'requisition_id'],
};

/** The most new records that are read one by one. */
const MOST_LOOKED_AT = 25;

/** The notes before a creation: the IDs in the list in which the record will appear. */
export function notesOf(ids: readonly string[]): JsonValue {
  return { ids };
}

/** The IDs in notes; undefined if the notes are invalid. */
export function notedIds(notes: JsonValue | undefined): readonly string[] | undefined {
  const ids = notes !== undefined && isJsonObject(notes) ? ownMember(notes, 'ids') : undefined;
  return isJsonArray(ids) ? ids.filter((id) => typeof id === 'string') : undefined;
}

/**
 * Reads the IDs in the narrowest list in which the command's new record will appear.
 *
 * @throws PlatformError, NotReadable
 */
export async function idsInNarrowestList({ session, command }: WriteContext): Promise<readonly string[]> {
  const parents = parentsOf(command, undefined);
  const ids: string[] = [];
  for (const [path, query] of listsToSearch(
    command,
    ofCompany(session),
    session.settings.company_id,
    parents,
  )) {
    const { rows } = await readWhole(session, listAt(session, path, query));
    ids.push(...rows.flatMap((row) => idText(ownMember(row, 'id')) ?? []));
  }
  return ids.sort(compareIds);
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
      const number = wanted('project_number');
      const key: Query[number] =
        number === undefined ? ['filters[name]', wanted('name') ?? ''] : ['filters[project_number]', number];
      return [[paths.projectList, [...company, ['filters[by_status]', 'All'], key]]];
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
 * Reads the records that have appeared since the notes were taken and that may be the command's new record.
 *
 * @throws PlatformError, NotReadable
 */
export async function newRecordsSince(
  work: WriteContext,
  noted: readonly string[],
): Promise<readonly ExistingRecord[]> {
  const { command } = work;
  const before = new Set(noted);
  const appeared = (await idsInNarrowestList(work)).filter((id) => !before.has(id));
  const parents = parentsOf(command, undefined);
  const found: ExistingRecord[] = [];
  // The newest: they have the largest IDs.
  for (const id of appeared.slice(-MOST_LOOKED_AT)) {
    const record = await readCurrent(work, id, parents);
    if (record !== undefined && hasNaturalKey(command, record)) found.push({ id, record });
  }
  return found;
}

/** Whether a record has the command's values in the identifying fields. Pure. */
function hasNaturalKey({ entityType, changes }: WriteCommand, record: JsonObject): boolean {
  const keys = naturalKeys[entityType];
  return changes
    .filter(({ path, value }) => value !== null && keys.includes(path.join('.')))
    .every(({ path, value }) => sameValue(entityType, path, valueAt(record, path), value));
}
