import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { NamedRecord, RecordRef, SourceRecord } from '../../connector';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, readList } from '../wire/list';
import { NotReadable } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths, storedViews, withIds } from '../wire/resources';
import type { Query, Session } from '../wire/session';
import { contractRecords, paymentRecords, requisitionRecords, type ReadRecords } from './records';
import type { VendorDirectory } from './vendor-directory';
import { visibleProjects } from './visible-projects';
import type { Parents } from './parents-cache';

/** What names a record to look for. */
export type Ref = Pick<RecordRef, 'entityType' | 'variant' | 'platformId'> & Pick<NamedRecord, 'project'>;

/** What looking for one record needs. */
export interface Finder {
  readonly session: Session;
  readonly vendors: VendorDirectory;
}

/**
 * One record as it is there now, in the form in which lists bring it: read by a list that is filtered by its ID.
 *
 * @param parents what it stands under, where that is known; without, the project of the ref, or every project, is looked through
 * @returns undefined when it is not to be seen
 * @throws PlatformError
 */
export async function findRecord(
  finder: Finder,
  ref: Ref,
  parents: Parents | undefined,
): Promise<SourceRecord | undefined> {
  try {
    return await lookFor(finder, ref, parents);
  } catch (error) {
    if (error instanceof NotReadable) return undefined;
    throw error;
  }
}

/**
 * The same, for those who must know that a record is not there.
 *
 * @throws NotReadable where what it stands in cannot be read; PlatformError
 */
export async function lookFor(
  finder: Finder,
  ref: Ref,
  parents: Parents | undefined,
): Promise<SourceRecord | undefined> {
  const { session } = finder;
  switch (ref.entityType) {
    case 'project': {
      const query = [...ofCompany(session), ...storedViews.projects, ...withIds([ref.platformId])];
      return simple('project', await companyWide(session, rowIn(session, paths.projectList, query, ref)));
    }
    case 'customer':
      return simple('customer', await companyWide(session, vendorRow(session, ref)));
    case 'contract':
    case 'invoice':
    case 'payment':
      return parents === undefined ? searched(finder, ref) : inProject(finder, ref, parents);
  }
}

async function vendorRow(session: Session, ref: Ref): Promise<JsonObject | undefined> {
  const query = [...ofCompany(session), ...storedViews.vendors, ...withIds([ref.platformId])];
  const active = await rowIn(session, paths.vendors, query, ref);
  if (active !== undefined) return active;
  return rowIn(session, paths.inactiveVendors(session.settings.company_id), storedViews.vendors, ref);
}

async function searched(finder: Finder, ref: Ref): Promise<SourceRecord | undefined> {
  let hidden: NotReadable | undefined;
  const { ids } = await visibleProjects(finder.session);
  for (const project of ref.project === undefined ? ids : ids.filter((id) => id === ref.project)) {
    try {
      const found = await inProject(finder, ref, { project });
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      hidden = error;
    }
  }
  if (hidden !== undefined) throw hidden;
  return undefined;
}

async function inProject(
  finder: Finder,
  ref: Ref,
  { project, contract }: Parents,
): Promise<SourceRecord | undefined> {
  const { session } = finder;
  const reader = { ...finder, project };
  switch (ref.entityType) {
    case 'contract': {
      for (const kind of contractKinds) {
        if (ref.variant !== null && ref.variant !== kind.variant) continue;
        const query = [...ofProject(project), ...storedViews.contracts, ...withIds([ref.platformId])];
        const row = await rowIn(session, kind.path, query, ref);
        if (row !== undefined) return only(await contractRecords(reader, kind, [row]));
      }
      return undefined;
    }
    case 'invoice': {
      const query = [...ofProject(project), ...storedViews.requisitions, ...withIds([ref.platformId])];
      const row = await rowIn(session, paths.requisitions, query, ref);
      return row && only(await requisitionRecords(reader, [row]));
    }
    default: {
      const contracts = contract === undefined ? await contractsOf(session, project) : [contract];
      let gaps = 0;
      for (const id of contracts) {
        const read = await paymentRecords(reader, id);
        const found = read.records.find(({ payload }) => idText(ownMember(payload, 'id')) === ref.platformId);
        if (found !== undefined) return found;
        gaps += read.gaps.length;
      }
      if (gaps > 0) throw new NotReadable(200, 'payments that cannot be read');
      return undefined;
    }
  }
}

/** The one record that was read; its row was there, so it is no record less if a part of it may not be read. */
function only({ records: [record], gaps }: ReadRecords): SourceRecord {
  if (record === undefined) throw new NotReadable(200, gaps.join(', '));
  return record;
}

async function contractsOf(session: Session, project: string): Promise<readonly string[]> {
  const contracts: string[] = [];
  for (const { path } of contractKinds) {
    const query: Query = [...ofProject(project), ['view', 'compact']];
    for await (const { rows } of readList(session, listAt(session, path, query))) {
      contracts.push(...rows.flatMap((row) => idText(ownMember(row, 'id')) ?? []));
    }
  }
  return contracts;
}

/** The row of a list with an ID; a list that does not know the filter is read until it comes. */
async function rowIn(
  session: Session,
  path: string,
  query: Query,
  { platformId }: Ref,
): Promise<JsonObject | undefined> {
  for await (const { rows } of readList(session, listAt(session, path, query))) {
    const found = rows.find((row) => idText(ownMember(row, 'id')) === platformId);
    if (found !== undefined) return found;
  }
  return undefined;
}

function simple(entityType: StoredEntityType, payload: JsonObject | undefined): SourceRecord | undefined {
  return payload && { entityType, variant: null, payload };
}
