import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { RecordRef, SourceRecord } from '../../../connector';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, readList } from '../wire/list';
import { NotReadable } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths, storedViews, withIds } from '../wire/resources';
import type { Query, Session } from '../wire/session';
import { contractRecords, paymentRecords, requisitionRecords } from './records';
import type { VendorDirectory } from './vendor-directory';
import { visibleProjects } from './visible-projects';
import type { Parents } from './whereabouts';

/** What looking for one record needs. */
export interface Finder {
  readonly session: Session;
  readonly vendors: VendorDirectory;
}

/**
 * One record as it is there now, in the form in which lists bring it: read by a list that is filtered by its ID.
 *
 * @param parents what it stands under, where that is known; without, every project is looked through
 * @returns undefined when it is not to be seen
 * @throws PlatformError
 */
export async function findRecord(
  finder: Finder,
  ref: Pick<RecordRef, 'entityType' | 'variant' | 'platformId'>,
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

type Ref = Pick<RecordRef, 'entityType' | 'variant' | 'platformId'>;

async function searched(finder: Finder, ref: Ref): Promise<SourceRecord | undefined> {
  for (const project of (await visibleProjects(finder.session)).ids) {
    const found = await inProject(finder, ref, { project });
    if (found !== undefined) return found;
  }
  return undefined;
}

async function inProject(
  finder: Finder,
  ref: Ref,
  { project, contract }: Parents,
): Promise<SourceRecord | undefined> {
  const { session } = finder;
  const reader = { ...finder, project };
  try {
    switch (ref.entityType) {
      case 'contract': {
        for (const kind of contractKinds) {
          if (ref.variant !== null && ref.variant !== kind.variant) continue;
          const query = [...ofProject(project), ...storedViews.contracts, ...withIds([ref.platformId])];
          const row = await rowIn(session, kind.path, query, ref);
          if (row !== undefined) return (await contractRecords(reader, kind, [row])).records[0];
        }
        return undefined;
      }
      case 'invoice': {
        const query = [...ofProject(project), ...storedViews.requisitions, ...withIds([ref.platformId])];
        const row = await rowIn(session, paths.requisitions, query, ref);
        return row && (await requisitionRecords(reader, [row])).records[0];
      }
      default: {
        const contracts = contract === undefined ? await contractsOf(session, project) : [contract];
        for (const id of contracts) {
          const { records } = await paymentRecords(reader, id);
          const found = records.find(({ payload }) => idText(ownMember(payload, 'id')) === ref.platformId);
          if (found !== undefined) return found;
        }
        return undefined;
      }
    }
  } catch (error) {
    if (error instanceof NotReadable) return undefined;
    throw error;
  }
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
