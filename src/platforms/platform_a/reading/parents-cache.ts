import { isJsonObject, ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { idText } from '../wire/ids';

/** What a record stands under. */
export interface Parents {
  readonly project: string;
  /** Of payments. */
  readonly contract?: string;
}

/** Records whose parents are remembered, of all customers together. */
const MOST_REMEMBERED = 20_000;

/** What a record shows of its parents; undefined when it does not name its project. */
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

/** Where records were seen last, so that one of them is found again with one call. It may be wrong, and need not be there. */
export class ParentsCache {
  private readonly seen = new Map<string, Parents>();

  find(customerId: string, entityType: StoredEntityType, id: string): Parents | undefined {
    return this.seen.get(`${customerId} ${entityType} ${id}`);
  }

  remember(customerId: string, records: readonly SourceRecord[]): void {
    for (const { entityType, payload } of records) {
      const id = idText(ownMember(payload, 'id'));
      const parents = parentsIn(entityType, payload);
      if (id === undefined || parents === undefined) continue;
      const key = `${customerId} ${entityType} ${id}`;
      this.seen.delete(key);
      this.seen.set(key, parents);
    }
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= MOST_REMEMBERED) break;
      this.seen.delete(oldest);
    }
  }
}
