import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { NamedRecord, RecordRef, SourceRecord } from '../../connector';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, readList } from '../wire/list';
import { ListChanged, NotReadable } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths, storedViews, withIds } from '../wire/resources';
import type { Query, Session } from '../wire/session';
import {
  contractRecords,
  paymentsOf,
  requisitionRecords,
  type ProjectReader,
  type ReadRecords,
} from './records';
import type { VendorDirectory } from './vendor-directory';
import { visibleProjects } from './visible-projects';
import type { Parents } from './parents-cache';

/** Identifies a record to look up. */
export type Ref = Pick<RecordRef, 'entityType' | 'variant' | 'platformId'> & Pick<NamedRecord, 'project'>;

/** The session and data with which a record is looked up. */
export interface Finder {
  readonly session: Session;
  readonly vendors: VendorDirectory;
}

/**
 * The present state of one record in the form of list rows. It is read from a list that is filtered by the ID.
 *
 * @param parents the parents of the record if they are known; otherwise the project of the ref, or every project, is
 *   searched
 * @returns undefined if the record does not exist
 * @throws NotReadable if the record's container cannot be read; ListChanged if it was not read whole; PlatformError
 */
export async function findRecord(
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
      if (!(hidden instanceof ListChanged)) hidden = error;
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
      const row = await invoiceRow(session, project, ref);
      return row && only(await requisitionRecords(reader, [row]));
    }
    default: {
      const contracts = contract === undefined ? await contractsOf(session, project) : [contract];
      return paymentIn(reader, contracts, ref);
    }
  }
}

async function paymentIn(
  reader: Pick<ProjectReader, 'session' | 'project'>,
  contracts: readonly string[],
  { platformId }: Ref,
): Promise<SourceRecord | undefined> {
  let hidden: NotReadable | undefined;
  for (const id of contracts) {
    try {
      const { records, whole } = await paymentsOf(reader, id);
      const found = records.find(({ payload }) => idText(ownMember(payload, 'id')) === platformId);
      if (found !== undefined) return found;
      if (!whole) hidden = new ListChanged();
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      hidden ??= error;
    }
  }
  if (hidden !== undefined) throw hidden;
  return undefined;
}

/**
 * An invoice as its list shows it, without its items.
 *
 * @throws NotReadable, PlatformError
 */
export function invoiceRow(
  session: Session,
  project: string,
  ref: Pick<Ref, 'platformId'>,
): Promise<JsonObject | undefined> {
  const query = [...ofProject(project), ...storedViews.requisitions, ...withIds([ref.platformId])];
  return rowIn(session, paths.requisitions, query, ref);
}

/** The one record that was read. Its row was in the list, so the record exists even if a part of it may not be read. */
function only({ records: [record], gaps, refusal }: ReadRecords): SourceRecord {
  if (record !== undefined) return record;
  // Its part may be whole the next time.
  if (refusal instanceof ListChanged) throw refusal;
  throw new NotReadable(200, gaps.join(', '), refusal?.failure);
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

/** The row of a list with the given ID. A list that does not support the filter is read up to that row. */
async function rowIn(
  session: Session,
  path: string,
  query: Query,
  { platformId }: Pick<Ref, 'platformId'>,
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
