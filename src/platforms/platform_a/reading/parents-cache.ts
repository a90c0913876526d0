import { isJsonObject, ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { idText } from '../wire/ids';
import { RecentMap } from '../../../runtime/caching/recent-map';

/** The parents of a record. */
export interface Parents {
  readonly project: string;
  /** Only for payments. */
  readonly contract?: string | undefined;
}

/** Maximum number of records whose parents are cached, for all customers together. */
const MOST_REMEMBERED = 20_000;

/** The parents that a record names; undefined if it does not name its project. */
export function parentsIn(
  entityType: StoredEntityType,
  payload: JsonObject | undefined,
): Parents | undefined {
  if (payload === undefined) return undefined;
  const inner = ownMember(payload, 'project');
  const project = idText(isJsonObject(inner) ? ownMember(inner, 'id') : ownMember(payload, 'project_id'));
  if (project === undefined) return undefined;
  const contract = entityType === 'payment' ? idText(ownMember(payload, 'contract_id')) : undefined;
  return { project, ...(contract !== undefined && { contract }) };
}

/**
 * The last known parents of records, so that a record is found again with one call. An entry may be wrong or missing.
 */
export class ParentsCache {
  private readonly seen = new RecentMap<string, Parents>(MOST_REMEMBERED);

  find(customerId: string, entityType: StoredEntityType, id: string): Parents | undefined {
    return this.seen.get(`${customerId} ${entityType} ${id}`);
  }

  remember(customerId: string, records: readonly SourceRecord[]): void {
    for (const { entityType, payload } of records) {
      const id = idText(ownMember(payload, 'id'));
      const parents = parentsIn(entityType, payload);
      if (id === undefined || parents === undefined) continue;
      this.seen.set(`${customerId} ${entityType} ${id}`, parents);
    }
  }
}
