import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { readableMembers } from '../../database/transaction/json-members';
import type { CustomerTransaction } from '../../database/transaction/store';
import { objectNow } from '../../records/objects/placement-then';
import { timeText } from '../../database/transaction/time-text';
import { changeStates, type ChangeState } from './change-state';

/** Which changes are wanted. Times are RFC 3339 with microseconds, both inclusive. */
export interface ChangeFilter {
  readonly state?: ChangeState | undefined;
  /** Only changes with an outcome on this platform. */
  readonly platform?: PlatformName | undefined;
  readonly entityType?: StoredEntityType | undefined;
  /** Also an alias. */
  readonly canonicalId?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The position of a change in the list. */
export interface ChangePosition {
  readonly at: string;
  readonly id: string;
}

/** Maximum number of changes that a page examines if no index serves its whole filter. */
const MOST_LOOKED_AT = 1_000;

/** Positions of a page, and where the next one begins; undefined on the last page. */
export interface FoundChanges {
  readonly changes: readonly ChangePosition[];
  readonly next: ChangePosition | undefined;
}

/**
 * Finds changes, newest first. An index leads to them by state, type or object. A further condition is checked change by
 * change, for 1,000 of them at most: then the page ends early and the next one goes on.
 */
export async function findChanges(
  tx: CustomerTransaction,
  filter: ChangeFilter,
  { before, limit }: { readonly before: ChangePosition | undefined; readonly limit: number },
): Promise<FoundChanges> {
  const parameters: unknown[] = [];
  // $1 is the customer.
  const given = (value: unknown): string => `$${parameters.push(value) + 1}`;
  const { state, platform, entityType, canonicalId, since, until } = filter;
  const range = [
    before !== undefined &&
      `(p.created_at, p.id) < (${given(before.at)}::timestamptz, ${given(before.id)}::uuid)`,
    since !== undefined && `p.created_at >= ${given(since)}::timestamptz`,
    until !== undefined && `p.created_at <= ${given(until)}::timestamptz`,
  ].filter((condition) => condition !== false);
  const isOfObject = canonicalId !== undefined;
  const checks = [
    platform !== undefined && `(${readableMembers('p.outcome')}) -> ${given(platform)}::text is not null`,
    isOfObject && state !== undefined && `p.state = ${given(state)}`,
    isOfObject && entityType !== undefined && `p.entity_type = ${given(entityType)}`,
  ].filter((condition) => condition !== false);
  const looked = checks.length > 0 ? Math.max(MOST_LOOKED_AT, limit) : limit;
  // One more shows whether there is a next page.
  const most = given(looked + 1);
  const ordered = (conditions: readonly string[]): string => `
    select p.id, p.created_at, ${checks.length > 0 ? checks.join(' and ') : 'true'} as fits
    from propagations p where ${['p.customer_id = $1', ...conditions, ...range].join(' and ')}
    order by p.created_at desc, p.id desc limit ${most}`;
  const candidates = (): string => {
    if (isOfObject) {
      return `(${idsOf(given(canonicalId))}) named cross join lateral (${ordered(['p.canonical_id = named.id'])}) p`;
    }
    if (state === undefined && entityType === undefined) return `(${ordered([])}) p`;
    return `unnest(${given(entityType === undefined ? storedEntityTypes : [entityType])}::text[]) types (entity_type)
      cross join unnest(${given(state === undefined ? changeStates : [state])}::text[]) states (state)
      cross join lateral (${ordered(['p.entity_type = types.entity_type', 'p.state = states.state'])}) p`;
  };
  const rows = await tx.query<ChangePosition & { readonly fits: boolean }>(
    `select p.id, ${timeText('p.created_at')} as at, p.fits from ${candidates()}
     order by p.created_at desc, p.id desc limit ${most}`,
    parameters,
  );
  const seen = rows.slice(0, looked);
  const fitting = seen.filter(({ fits }) => fits);
  const changes = fitting.slice(0, limit).map(({ at, id }) => ({ at, id }));
  // The next page begins after the last change of a full page, otherwise after the last change that was checked.
  const isFull = fitting.length > limit;
  const last = isFull ? changes.at(-1) : seen.at(-1);
  const hasMore = isFull || rows.length > looked;
  return { changes, next: hasMore && last !== undefined ? { at: last.at, id: last.id } : undefined };
}

/** SQL for the ID of an object and its aliases: a change keeps the ID that the object had at the time. */
function idsOf(id: string): string {
  const own = objectNow(id);
  return `select ${own} as id
    union select a.alias_id from canonical_aliases a where a.customer_id = $1 and a.canonical_id = ${own}`;
}

/**
 * The bytes that are read to show changes, by ID: their outcomes, and the records of their objects. The query reads the
 * values themselves, so callers ask for a few changes at a time.
 */
export async function bytesOfChanges(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ id: string; bytes: number }>(
    `select p.id, (octet_length(p.outcome::text) + coalesce((
       select sum(octet_length(r.payload::text) + coalesce(octet_length(r.accepted::text), 0))
       from platform_records r where r.customer_id = $1 and r.canonical_id = p.canonical_id), 0))::float8 as bytes
     from propagations p where p.customer_id = $1 and p.id = any($2)`,
    [ids],
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
