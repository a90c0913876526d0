import { isJsonObject, parseJsonText, type JsonObject, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';

/** The origin of a change, in its public form. */
export interface Origin {
  /** `unknown`: the change is not stored, because it is older than the table of changes or was removed. */
  readonly type: 'run' | 'propagation' | 'outcome' | 'decision' | 'terms' | 'removal' | 'unknown';
  readonly run_id?: string;
  /** Of a run: the platform that was read. */
  readonly platform?: PlatformName;
  readonly propagation_id?: string;
  readonly request_id?: string;
  readonly decision_id?: string;
  /** Of a decision or a propagation: the person. */
  readonly decided_by?: string;
  /** Of a decision or a propagation: why, in the words of that person. */
  readonly reason?: string;
  /** Of terms: which were set. */
  readonly detail?: JsonObject;
}

/** A row of the query of changes. */
interface ChangeRow {
  readonly id: string;
  readonly at: string;
  readonly origin: Origin['type'];
  readonly platform: PlatformName | null;
  readonly propagation_id: string | null;
  readonly request_id: string | null;
  readonly decision_id: string | null;
  readonly decided_by: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
}

const shownChange = `
  select c.id, ${timeText('c.at')} as at, c.origin, c.platform, c.propagation_id,
    coalesce(c.request_id, p.request_id) as request_id, c.decision_id,
    case when d.withdrawn_at <= c.at then d.withdrawn_by else coalesce(d.decided_by, p.decided_by) end as decided_by,
    case when d.withdrawn_at <= c.at then d.withdrawn_reason else coalesce(d.reason, p.reason) end as reason, c.detail::text as detail
  from changes c left join propagations p on p.customer_id = $1 and p.id = c.propagation_id
  left join reconciliation_decisions d on d.customer_id = $1 and d.id = c.decision_id
  where c.customer_id = $1`;
const changesAt = `${shownChange} and c.at = any ($2::timestamptz[])`;
const changesNamed = `${shownChange} and c.id = any ($2::uuid[])`;

/** SQL for the IDs of the changes that began or ended a version of the objects' records at these times. */
const causesAt = `
  select ${timeText('m.at')} as at, cause.id from unnest($3::timestamptz[]) m (at) cross join lateral (
    select r.changed_by as id from platform_records r
    where r.customer_id = $1 and r.canonical_id = any ($2::text[]) and r.since = m.at
    union select v.ended_by from record_versions v
    where v.customer_id = $1 and v.canonical_id = any ($2::text[]) and v.until = m.at
    union select v.changed_by from record_versions v
    where v.customer_id = $1 and v.canonical_id = any ($2::text[]) and v.since = m.at
  ) cause where cause.id is not null`;

/**
 * The origins of the changes at some times, by time. If several changes have the same time, a change of one of the objects
 * takes precedence over a change of their neighbours.
 */
export async function originsAt(
  tx: CustomerTransaction,
  ids: readonly string[],
  times: readonly string[],
): Promise<ReadonlyMap<string, Origin>> {
  const [changes, causes] = await Promise.all([
    tx.query<ChangeRow>(changesAt, [times]),
    tx.query<{ at: string; id: string }>(causesAt, [ids, times]),
  ]);
  const own = new Set(causes.map(({ at, id }) => `${at} ${id}`));
  const origins = new Map<string, Origin>();
  for (const change of changes.toSorted((one, other) => rank(own, other) - rank(own, one)))
    origins.set(change.at, originOf(change));
  return origins;
}

/** The origins of some changes, by ID. Removed changes have no entry. */
export async function originsOf(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Origin>> {
  const changes = await tx.query<ChangeRow>(changesNamed, [ids]);
  return new Map(changes.map((change) => [change.id, originOf(change)]));
}

// Two changes of different objects may have come in one microsecond.
function rank(own: ReadonlySet<string>, { at, id }: ChangeRow): number {
  return own.has(`${at} ${id}`) ? 0 : 1;
}

function originOf({ id, origin, detail, ...change }: ChangeRow): Origin {
  const known = origin === 'terms' && detail !== null ? parseJsonText(detail) : undefined;
  const { platform, propagation_id, request_id, decision_id, decided_by, reason } = change;
  return {
    type: origin,
    ...(origin === 'run' && { run_id: id }),
    ...(platform !== null && { platform }),
    ...(propagation_id !== null && { propagation_id }),
    ...(request_id !== null && { request_id }),
    ...(decision_id !== null && { decision_id }),
    ...(decided_by !== null && { decided_by }),
    ...(reason !== null && { reason }),
    ...(known !== undefined && isJsonObject(known) && { detail: known }),
  };
}
