import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Store } from '../../database/store';
import { Bonds, nameOf, type Bond, type RecordName, type Verdict } from './bonds';

/** A decision by a person, as it is stored. */
export interface StoredDecision {
  readonly id: string;
  readonly decision: Verdict;
  readonly entityType: StoredEntityType;
  /** The record of the platform with precedence comes first. */
  readonly records: readonly [RecordName, RecordName];
  readonly reason: string;
  readonly decidedBy: string;
  readonly decidedAt: Date;
  readonly withdrawn: { readonly at: Date; readonly reason: string; readonly by: string } | null;
}

interface DecisionRow {
  readonly id: string;
  readonly decision: Verdict;
  readonly entity_type: StoredEntityType;
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly other_platform: PlatformName;
  readonly other_platform_id: string;
  readonly reason: string;
  readonly decided_by: string;
  readonly decided_at: Date;
  readonly withdrawn_at: Date | null;
  readonly withdrawn_reason: string | null;
  readonly withdrawn_by: string | null;
}

const columns = `d.id, d.decision, d.entity_type, d.platform, d.platform_id, d.other_platform, d.other_platform_id, d.reason,
  d.decided_by, d.decided_at, d.withdrawn_at, d.withdrawn_reason, d.withdrawn_by`;

function decisionOf(row: DecisionRow): StoredDecision {
  return {
    id: row.id,
    decision: row.decision,
    entityType: row.entity_type,
    records: [
      { platform: row.platform, platformId: row.platform_id },
      { platform: row.other_platform, platformId: row.other_platform_id },
    ],
    reason: row.reason,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    withdrawn:
      row.withdrawn_at === null
        ? null
        : { at: row.withdrawn_at, reason: row.withdrawn_reason ?? '', by: row.withdrawn_by ?? '' },
  };
}

/** Stores a decision that stands from a time on. */
export async function insertDecision(
  store: Store,
  customerId: string,
  { id, decision, entityType, records, reason, decidedBy }: Omit<StoredDecision, 'decidedAt' | 'withdrawn'>,
  at: string,
): Promise<StoredDecision> {
  const [one, other] = records;
  const rows = await store.query<DecisionRow>(
    `insert into reconciliation_decisions as d (customer_id, id, decision, entity_type, platform, platform_id,
       other_platform, other_platform_id, reason, decided_by, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz) returning ${columns}`,
    [
      customerId,
      id,
      decision,
      entityType,
      one.platform,
      one.platformId,
      other.platform,
      other.platformId,
      reason,
      decidedBy,
      at,
    ],
  );
  return only(rows);
}

/** Ends a decision, and keeps it. */
export async function markWithdrawn(
  store: Store,
  customerId: string,
  id: string,
  { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
): Promise<StoredDecision> {
  const rows = await store.query<DecisionRow>(
    `with withdrawn as (
       update reconciliation_decisions set withdrawn_at = $3::timestamptz, withdrawn_reason = $4, withdrawn_by = $5
       where customer_id = $1 and id = $2 returning *
     ) select ${columns} from withdrawn d`,
    [customerId, id, at, reason, by],
  );
  return only(rows);
}

function only(rows: readonly DecisionRow[]): StoredDecision {
  const [row] = rows;
  if (row === undefined) throw new Error('A decision that was written is not there');
  return decisionOf(row);
}

/** A decision by its ID. */
export async function findDecision(
  store: Store,
  customerId: string,
  id: string,
): Promise<StoredDecision | undefined> {
  const [row] = await store.query<DecisionRow>(
    `select ${columns} from reconciliation_decisions d where d.customer_id = $1 and d.id = $2`,
    [customerId, id],
  );
  return row && decisionOf(row);
}

/** The decision about a pair that stands. */
export async function findStanding(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  [one, other]: readonly [RecordName, RecordName],
): Promise<StoredDecision | undefined> {
  const [row] = await store.query<DecisionRow>(
    `select ${columns} from reconciliation_decisions d
     where d.customer_id = $1 and d.entity_type = $2 and d.platform = $3 and d.platform_id = $4
       and d.other_platform = $5 and d.other_platform_id = $6 and d.withdrawn_at is null`,
    [customerId, entityType, one.platform, one.platformId, other.platform, other.platformId],
  );
  return row && decisionOf(row);
}

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

/**
 * What standing decisions come to for some records: those about them, about all that decisions link with them, and about
 * all that is linked with what they are kept apart from.
 */
export async function bondsAbout(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<readonly Bond[]> {
  const bonds = new Map<string, Bond>();
  const linked = await follow(named(records), () => true);
  const apart = [...bonds.values()]
    .filter(({ decision }) => decision === 'not_same')
    .flatMap((bond) => bond.records)
    .filter((record) => !linked.has(nameOf(record)));
  await follow(named(apart), ({ decision }) => decision === 'link');
  return [...bonds.values()];

  /** Collects decisions about records and what they link them with. */
  async function follow(
    from: ReadonlyMap<string, RecordName>,
    counts: (bond: Bond) => boolean,
  ): Promise<ReadonlySet<string>> {
    const known = new Set(from.keys());
    let next = [...from.values()];
    while (next.length > 0) {
      const rows = await store.query<DecisionRow>(touching, [
        customerId,
        entityType,
        next.map(({ platform }) => platform),
        next.map(({ platformId }) => platformId),
      ]);
      const found = rows.map(decisionOf).filter(counts);
      for (const bond of found) bonds.set(bond.id, bond);
      const others = found
        .filter(({ decision }) => decision === 'link')
        .flatMap((bond) => bond.records)
        .filter((record) => !known.has(nameOf(record)));
      for (const record of others) known.add(nameOf(record));
      next = others;
    }
    return known;
  }
}

function named(records: readonly RecordName[]): ReadonlyMap<string, RecordName> {
  return new Map(records.map((record) => [nameOf(record), record]));
}

/** See {@link bondsAbout}. */
export async function loadBonds(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<Bonds> {
  return new Bonds(await bondsAbout(store, customerId, entityType, records));
}

const asked = 'unnest($3::text[], $4::text[]) as asked (platform, platform_id)';
const standing = 'd.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null';
const touching = `
  select ${columns} from ${asked} join reconciliation_decisions d
    on ${standing} and d.platform = asked.platform and d.platform_id = asked.platform_id
  union
  select ${columns} from ${asked} join reconciliation_decisions d
    on ${standing} and d.other_platform = asked.platform and d.other_platform_id = asked.platform_id`;
