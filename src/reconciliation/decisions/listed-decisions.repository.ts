import type { StoredEntityType } from '@app/mapper';
import type { Store } from '../../database/store';
import type { Verdict } from './bonds';
import { columns, decisionOf, type DecisionRow, type StoredDecision } from './stored-decision';

/** Which decisions are listed. */
export interface DecisionFilter {
  readonly status?: 'standing' | 'withdrawn' | undefined;
  readonly entityType?: StoredEntityType | undefined;
  readonly decision?: Verdict | undefined;
  /** A position: decisions older than this one. */
  readonly before?: { readonly at: string; readonly id: string } | undefined;
  readonly limit: number;
}

/** A decision with its place in the list. */
export interface ListedDecision {
  readonly decision: StoredDecision;
  /** The time with all its digits, as the database writes it. */
  readonly at: string;
  /** The objects of its two records; null where one is not there. */
  readonly objects: readonly [string | null, string | null];
}

/** How many decisions there are of a kind. */
export interface DecisionCount {
  readonly decision: Verdict;
  readonly status: 'standing' | 'withdrawn';
  readonly count: number;
}

const conditionOf = { standing: 'd.withdrawn_at is null', withdrawn: 'd.withdrawn_at is not null' } as const;

/** SQL and parameters of a page of decisions, the latest first. */
export function decisionsPage(
  customerId: string,
  { before, limit, ...filter }: DecisionFilter,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const parameters: unknown[] = [customerId, limit];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    ...conditionsOf(filter, given),
    ...(before === undefined
      ? []
      : [`(d.decided_at, d.id) < (${given(before.at)}::timestamptz, ${given(before.id)}::uuid)`]),
  ];
  return {
    sql: `select ${columns}, d.decided_at::text as at, ${objectOf('d.platform', 'd.platform_id')} as object,
        ${objectOf('d.other_platform', 'd.other_platform_id')} as other_object
      from reconciliation_decisions d
      where ${conditions.join(' and ')} order by d.decided_at desc, d.id desc limit $2`,
    parameters,
  };
}

function conditionsOf(
  { status, entityType, decision }: Omit<DecisionFilter, 'before' | 'limit'>,
  given: (value: unknown) => string,
): readonly string[] {
  return [
    'd.customer_id = $1',
    ...(status === undefined ? [] : [conditionOf[status]]),
    ...(entityType === undefined ? [] : [`d.entity_type = ${given(entityType)}`]),
    ...(decision === undefined ? [] : [`d.decision = ${given(decision)}`]),
  ];
}

/** The time, and how many decisions there are, by what they say and whether they stand. */
export async function countDecisions(
  store: Store,
  customerId: string,
  filter: Omit<DecisionFilter, 'before' | 'limit'>,
): Promise<{ readonly asOf: Date; readonly counts: readonly DecisionCount[] }> {
  const parameters: unknown[] = [customerId];
  const conditions = conditionsOf(filter, (value) => `$${parameters.push(value)}`);
  const [row] = await store.query<{ now: Date; counts: readonly DecisionCount[] | null }>(
    `select now() as now, (
       select json_agg(c order by c.decision, c.status) from (
         select d.decision, case when d.withdrawn_at is null then 'standing' else 'withdrawn' end as status,
           count(*)::int as count
         from reconciliation_decisions d where ${conditions.join(' and ')} group by 1, 2
       ) c) as counts`,
    parameters,
  );
  if (row === undefined) throw new Error('The database has no time');
  return { asOf: row.now, counts: row.counts ?? [] };
}

/** Reads what {@link decisionsPage} selects. */
export function listedOf(row: object): ListedDecision {
  // The columns of that statement.
  const listed = row as DecisionRow & { at: string; object: string | null; other_object: string | null };
  return { decision: decisionOf(listed), at: listed.at, objects: [listed.object, listed.other_object] };
}

function objectOf(platform: string, platformId: string): string {
  return `(
    select r.canonical_id from platform_records r where r.customer_id = $1 and r.platform = ${platform}
      and r.entity_type = d.entity_type and r.platform_id = ${platformId})`;
}
