import type { StoredEntityType } from '@app/mapper';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../../records/changes/record-versions.repository';
import { timeText } from '../../database/transaction/time-text';
import type { DecisionKind } from '../rule/link-constraints';
import { columns, decisionOf, type DecisionRow, type StoredDecision } from './stored-decision';

/** Which decisions are listed. */
export interface DecisionFilter {
  readonly status?: 'standing' | 'withdrawn' | undefined;
  readonly entityType?: StoredEntityType | undefined;
  readonly decision?: DecisionKind | undefined;
  /** A position: decisions older than this one. */
  readonly before?: { readonly at: string; readonly id: string } | undefined;
  /** A time, in UTC with microseconds: decisions and records as they were then; now unless given. */
  readonly asOf?: string | undefined;
  readonly limit: number;
}

/** A decision with its place in the list. */
export interface ListedDecision {
  readonly decision: StoredDecision;
  /** The time with all its digits: UTC with six decimals of a second. */
  readonly at: string;
  /** The objects of its two records; null where one is not there. */
  readonly objects: readonly [string | null, string | null];
}

/** How many decisions there are of a kind. */
export interface DecisionCount {
  readonly decision: DecisionKind;
  readonly status: 'standing' | 'withdrawn';
  readonly count: number;
}

const conditionOf = { standing: 'd.withdrawn_at is null', withdrawn: 'd.withdrawn_at is not null' } as const;

/** A row of the list. */
type ListedRow = DecisionRow & {
  readonly at: string;
  readonly object: string | null;
  readonly other_object: string | null;
};

/** Reads a page of decisions, the latest first. */
export function readDecisions(
  unitOfWork: Pick<UnitOfWork, 'read'>,
  customerId: string,
  { before, limit, asOf, ...filter }: DecisionFilter,
): Promise<ListedRow[]> {
  const parameters: unknown[] = [customerId, limit];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  const at = asOf === undefined ? undefined : given(asOf);
  const conditions = [
    ...conditionsOf(filter, given),
    ...(before === undefined
      ? []
      : [`(d.decided_at, d.id) < (${given(before.at)}::timestamptz, ${given(before.id)}::uuid)`]),
  ];
  return unitOfWork.read<ListedRow>(
    `select ${columns}, ${timeText('d.decided_at')} as at, ${objectOf('d.platform', 'd.platform_id', at)} as object,
        ${objectOf('d.other_platform', 'd.other_platform_id', at)} as other_object
      from ${decisionsOf(at)} d
      where ${conditions.join(' and ')} order by d.decided_at desc, d.id desc limit $2`,
    parameters,
    { customerId },
  );
}

function conditionsOf(
  { status, entityType, decision }: Omit<DecisionFilter, 'before' | 'limit' | 'asOf'>,
  given: (value: unknown) => string,
): readonly string[] {
  return [
    'd.customer_id = $1',
    ...(status === undefined ? [] : [conditionOf[status]]),
    ...(entityType === undefined ? [] : [`d.entity_type = ${given(entityType)}`]),
    ...(decision === undefined ? [] : [`d.decision = ${given(decision)}`]),
  ];
}

/** How many decisions there were at a time, by what they said and whether they stood. */
export async function countDecisions(
  tx: CustomerTransaction,
  filter: Omit<DecisionFilter, 'before' | 'limit' | 'asOf'>,
  asOf: string,
): Promise<readonly DecisionCount[]> {
  const parameters: unknown[] = [tx.customerId, asOf];
  const conditions = conditionsOf(filter, (value) => `$${parameters.push(value)}`);
  const [row] = await tx.store.query<{ counts: readonly DecisionCount[] | null }>(
    `select (
       select json_agg(c order by c.decision, c.status) from (
         select d.decision, case when d.withdrawn_at is null then 'standing' else 'withdrawn' end as status,
           count(*)::int as count
         from ${decisionsOf('$2')} d where ${conditions.join(' and ')} group by 1, 2
       ) c) as counts`,
    parameters,
  );
  return row?.counts ?? [];
}

/** A row of {@link readDecisions} as a decision. */
export function listedOf(listed: ListedRow): ListedDecision {
  return { decision: decisionOf(listed), at: listed.at, objects: [listed.object, listed.other_object] };
}

/** @param at the parameter that holds a time: decisions as they stood then */
function decisionsOf(at: string | undefined): string {
  if (at === undefined) return 'reconciliation_decisions';
  const then = (column: string): string =>
    `case when n.withdrawn_at <= ${at}::timestamptz then n.${column} end as ${column}`;
  return `(
    select n.customer_id, n.id, n.decision, n.entity_type, n.platform, n.platform_id, n.other_platform, n.other_platform_id,
      n.reason, n.decided_by, n.decided_at, ${then('withdrawn_at')}, ${then('withdrawn_reason')}, ${then('withdrawn_by')}
    from reconciliation_decisions n where n.customer_id = $1 and n.decided_at <= ${at}::timestamptz
  )`;
}

function objectOf(platform: string, platformId: string, at: string | undefined): string {
  const records = at === undefined ? 'platform_records' : recordsAt(at);
  return `(
    select r.canonical_id from ${records} r where r.customer_id = $1 and r.platform = ${platform}
      and r.entity_type = d.entity_type and r.platform_id = ${platformId})`;
}
