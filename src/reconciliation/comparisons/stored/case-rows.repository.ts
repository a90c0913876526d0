import { stringifyJson } from '@app/mapper';
import { Readable } from 'node:stream';
import { columnList } from '../../../database/column-list';
import { CopyChunks } from '../../../database/transaction/copy-chunks';
import { copyLine } from '../../../database/transaction/copy-text';
import { readableMembers } from '../../../database/transaction/json-members';
import type { CustomerTransaction } from '../../../database/transaction/store';
import {
  changeCounts,
  CountChanges,
  countedColumns,
  hourOf,
  type CountedCase,
} from './case-counts.repository';
import { caseColumns } from './case-relations.repository';
import { weightOf } from '../case-parts';
import type { ComparedResult } from '../compared-rows';
import {
  columnText,
  conditionOf,
  digestOfRow,
  lastMark,
  timeOf,
  type ColumnValue,
  type PageOfRows,
  type Replaced,
} from './replaced-rows';

// An acceptance holds for the values that were accepted.
const showSql = `
  update comparison_cases c set owner = r.owner,
    is_accepted = coalesce(r.accepted_values = c.values_digest, false),
    accepted_until = case when r.accepted_values = c.values_digest then r.accepted_until end
  from case_reviews r
  where c.customer_id = $1 and c.id = any ($2::text[])
    and r.customer_id = $1 and r.case_id = c.id and r.valid_until is null
  returning ${countedColumns('c')}`;

const countedSql = `select ${countedColumns('c')} from comparison_cases c where c.customer_id = $1 and c.id = any ($2::text[])`;

/**
 * Copies the reviews that have come into force to the rows of their open cases and to the counts. The caller's
 * transaction keeps refreshes from writing. Each of the cases has a review.
 */
export async function showReviews(tx: CustomerTransaction, ids: readonly string[]): Promise<void> {
  const [removed, added] = await Promise.all([
    tx.query<CountedCase>(countedSql, [ids]),
    tx.query<CountedCase>(showSql, [ids]),
  ]);
  const counts = new CountChanges();
  for (const one of removed) counts.remove(one);
  for (const one of added) counts.add(one);
  await changeCounts(tx, counts);
}

/** The part of a stored case that tells whether a new case equals it. */
export interface StoredCase {
  readonly id: string;
  readonly object_id: string;
  /** Null for one that an earlier release has made. */
  readonly digest: string | null;
}

/** The stored cases of objects. */
export function storedCases(tx: CustomerTransaction, replaced: Replaced): Promise<readonly StoredCase[]> {
  const { condition, parameters } = conditionOf(replaced);
  return tx.query<StoredCase>(
    `select c.id, c.object_id, c.digest from comparison_cases c where c.customer_id = $1 and ${condition}`,
    parameters,
  );
}

/** The cases of objects that take the place of the stored ones, as `NewPairs` are. Equal rows stay as they are. */
export class NewCases {
  private readonly gone: Map<string, StoredCase>;
  private readonly ids: string[] = [];
  private readonly lines = new CopyChunks();
  private readonly counts: CountChanges | undefined;

  /** @param stored all that the objects have */
  constructor(
    private readonly page: PageOfRows,
    stored: readonly StoredCase[],
  ) {
    this.gone = new Map(stored.map((one) => [one.id, one]));
    this.counts = page.counted ? new CountChanges() : undefined;
  }

  add({ object, cases }: ComparedResult): void {
    for (const one of cases) {
      const values = valuesOf(object, one);
      const digest = digestOfRow(values);
      const known = this.gone.get(one.id);
      this.gone.delete(one.id);
      if (known?.digest === digest) continue;
      this.ids.push(one.id);
      this.lines.add(lineOf(this.page, one, values, digest));
      this.counts?.add(countedCase(object, one));
    }
  }

  /**
   * The stored cases without a successor, the IDs and lines of the new cases, and their counts. Nothing may be added
   * afterwards.
   */
  end(): {
    readonly gone: readonly StoredCase[];
    readonly ids: readonly string[];
    readonly lines: readonly Buffer[];
    readonly counts: CountChanges | undefined;
  } {
    return { gone: [...this.gone.values()], ids: this.ids, lines: this.lines.end(), counts: this.counts };
  }
}

type ComparedCase = ComparedResult['cases'][number];

/** The counted columns of a case without a review. */
const UNREVIEWED = { owner: '', is_accepted: false, accepted_until: 'infinity' } as const;

function countedCase({ entityType }: ComparedResult['object'], one: ComparedCase): CountedCase {
  return {
    left_platform: one.left,
    right_platform: one.right,
    kind: one.kind,
    entity_type: entityType,
    platform: one.platform ?? '',
    field: one.field ?? '',
    project_id: one.projectId ?? '',
    left_currency: one.leftCurrency ?? '',
    right_currency: one.rightCurrency ?? '',
    opened_hour: hourOf(one.openedAt),
    is_listed: one.listedBefore === null,
    ...UNREVIEWED,
  };
}

/** Positions in {@link valuesOf}: after the difference, and after the dates of the documents. */
const BEFORE_WEIGHT = 13;
const BEHIND_DATES = 16;

/** The values in which two rows of a case may differ. Digests of stored rows are made of these texts, in this order. */
function valuesOf({ id, entityType }: ComparedResult['object'], one: ComparedCase): readonly ColumnValue[] {
  return [
    one.id,
    id,
    one.left,
    one.right,
    one.kind,
    entityType,
    one.platform,
    one.platformId,
    one.field,
    one.projectId,
    one.leftCurrency,
    one.rightCurrency,
    columnText(one.difference),
    columnText(one.openedAt),
    one.documentDate,
    one.dueDate,
    one.listedFrom,
    one.listedBefore,
    stringifyJson(one.detail),
    one.valuesDigest,
  ];
}

const midnight = (day: string): string => `${day}T00:00:00Z`;

/** The columns of a row as they are copied. */
function lineOf(
  { customerId, mark }: PageOfRows,
  { openedAt, difference, documentDate, dueDate }: ComparedCase,
  values: readonly ColumnValue[],
  digest: string,
): string {
  const opened = timeOf(openedAt);
  const documentSince = documentDate === null ? opened : midnight(documentDate);
  return copyLine([
    customerId,
    ...values.slice(0, BEFORE_WEIGHT),
    weightOf(difference),
    opened,
    documentDate,
    dueDate,
    documentSince,
    dueDate === null ? documentSince : midnight(dueDate),
    ...values.slice(BEHIND_DATES),
    digest,
    mark,
  ]);
}

/**
 * SQL condition on the alias `c`: the cases to replace. These are the cases without a new row, if they still are as
 * they were read, and the cases with a new row, of whatever object. A case of one record moves with the record to
 * another object, whose page may be saved before or after this one. The IDs of both are one list, so that the cases are
 * found by index.
 */
const isGone = `c.customer_id = $1 and c.id = any ($2::text[]) and not exists (
    select from unnest($3::text[], $4::text[]) n (id, digest)
    where n.id = c.id and n.digest <> coalesce(c.digest, ''))`;

const keepCases = `
  insert into case_versions (customer_id, ${caseColumns.join(', ')}, valid_from, valid_until)
  select s.customer_id, ${columnList('c', caseColumns)}, c.valid_from, s.changed_until
  from comparison_cases c join comparison_states s on s.customer_id = $1 and c.valid_from < s.changed_until
  where ${isGone}
  returning id`;

const deleteCases = `delete from comparison_cases c where ${isGone} returning ${countedColumns('c')}`;

const copyCases = `copy comparison_cases (customer_id, ${caseColumns.join(', ')}, digest, valid_from) from stdin`;

// A case that one page of a refresh has ended and another one makes again was never closed.
const reopen = `
  update case_versions v set closed_at = null, closed_by = null, closed_by_id = null
  from comparison_states s
  where s.customer_id = $1 and v.customer_id = $1 and v.id = any ($2::text[]) and v.valid_until = s.changed_until
    and v.closed_at is not null`;

/** The most former records of an object among which the change that ended a case is searched. */
const RECENT = 10;

// The change that ended a case came after the last mark, at which the case was still right. The statement looks first
// for changes of the object's own records; then for decisions about them, for changes of candidates and of records to
// which they refer, and for changes of terms; then for any change.
const close = `
  with mark as materialized (
    select s.changed_until as at, coalesce((
      select max(m.mark) from comparison_marks m where m.customer_id = $1 and m.mark < s.changed_until), '-infinity') as before
    from comparison_states s where s.customer_id = $1
  ),
  ended as materialized (
    select v.id, v.object_id, v.kind, v.entity_type, v.valid_until, v.detail
    from unnest($2::text[]) n (id)
    cross join mark
    cross join lateral (
      select l.* from case_versions l where l.customer_id = $1 and l.id = n.id order by l.valid_until desc limit 1
    ) v
    where v.valid_until = mark.at
  ),
  objects as materialized (select distinct object_id from ended),
  near as materialized (
    select e.object_id, c.platform, e.entity_type, c.platform_id
    from ended e cross join lateral json_to_recordset(
      (${readableMembers('e.detail')}) -> 'candidates') c (platform text, platform_id text)
    where e.kind = 'ambiguous'
    union
    select o.object_id, p.platform, p.entity_type, p.platform_id
    from objects o
    join platform_records r on r.customer_id = $1 and r.canonical_id = o.object_id
    cross join lateral (
      values (r.project_canonical_id), (r.customer_canonical_id), (r.contract_canonical_id), (r.invoice_canonical_id)
    ) named (id)
    join platform_records p on p.customer_id = $1 and p.canonical_id = named.id
  ),
  touches as (
    select o.object_id, 1 as distance, r.since as at, r.changed_by as change_id, null::uuid as decision_id, false as is_gone
    from objects o join platform_records r on r.customer_id = $1 and r.canonical_id = o.object_id
    union all
    select o.object_id, 1, v.until, v.ended_by, null, not exists (
      select from platform_records r
      where r.customer_id = $1 and r.platform = v.platform and r.entity_type = v.entity_type and r.platform_id = v.platform_id)
    from objects o cross join lateral (
      select l.* from record_versions l where l.customer_id = $1 and l.canonical_id = o.object_id
      order by l.since desc limit ${RECENT}
    ) v
    union all
    select o.object_id, 2, made.at, null, d.id, false
    from objects o
    join platform_records r on r.customer_id = $1 and r.canonical_id = o.object_id
    join reconciliation_decisions d on d.customer_id = $1 and d.entity_type = r.entity_type and d.decision = 'not_same'
      and ((d.platform = r.platform and d.platform_id = r.platform_id)
        or (d.other_platform = r.platform and d.other_platform_id = r.platform_id))
    cross join lateral (values (d.decided_at), (d.withdrawn_at)) made (at)
    union all
    select n.object_id, 2, r.since, r.changed_by, null, false
    from near n
    join platform_records r on r.customer_id = $1 and r.platform = n.platform and r.entity_type = n.entity_type
      and r.platform_id = n.platform_id
    union all
    select n.object_id, 2, v.until, v.ended_by, null, false
    from near n cross join lateral (
      select l.* from record_versions l
      where l.customer_id = $1 and l.platform = n.platform and l.entity_type = n.entity_type
        and l.platform_id = n.platform_id
      order by l.since desc limit 1
    ) v
    union all
    select o.object_id, case when last.origin = 'terms' then 2 else 3 end, last.at, last.id, null, false
    from objects o cross join (
      select distinct on (c.origin = 'terms') c.origin, c.at, c.id from changes c cross join mark
      where c.customer_id = $1 and c.at > mark.before order by c.origin = 'terms', c.at desc
    ) last
  ),
  cause as (
    select distinct on (t.object_id) t.object_id, t.at, t.is_gone, coalesce(t.decision_id, c.decision_id) as decision_id,
      case when t.decision_id is not null then 'decision' else c.origin end as origin, c.propagation_id, c.id as change_id
    from touches t cross join mark
    left join changes c on c.customer_id = $1 and c.id = t.change_id
    where t.at > mark.before
    order by t.object_id, t.distance, t.at desc, t.is_gone desc
  )
  update case_versions v set closed_at = coalesce(found.at, v.valid_until), closed_by = found.closed_by,
    closed_by_id = found.closed_by_id
  from (
    select e.id, e.valid_until, c.at,
      case when c.is_gone then 'record_gone' when c.origin = 'outcome' then 'propagation' else c.origin end as closed_by,
      case when c.is_gone then c.change_id when c.origin in ('propagation', 'outcome') then c.propagation_id
        when c.origin = 'decision' then c.decision_id else c.change_id end as closed_by_id
    from ended e left join cause c on c.object_id = e.object_id
  ) found
  where v.customer_id = $1 and v.id = found.id and v.valid_until = found.valid_until`;

/**
 * Stores the cases of objects and their counts, within the caller's transaction, which holds the lease. It keeps a
 * version of each replaced row, up to the mark of the refresh. A case without a successor is closed, with the change
 * that closed it.
 */
export async function saveCases(tx: CustomerTransaction, cases: NewCases): Promise<void> {
  const { gone, ids, lines, counts } = cases.end();
  if (gone.length === 0 && ids.length === 0) return;
  const goneIds = gone.map(({ id }) => id);
  const ending = [[...ids, ...goneIds], goneIds, gone.map(({ digest }) => digest ?? '')];
  const [ended, removed] = await Promise.all([
    tx.query<{ id: string }>(keepCases, ending),
    tx.query<CountedCase>(deleteCases, ending),
    ids.length === 0 ? [] : tx.query(reopen, [ids]),
  ]);
  if (lines.length > 0) {
    await tx.copyIn(copyCases, Readable.from(lines));
    for (const one of await tx.query<CountedCase>(showSql, [ids])) {
      counts?.remove({ ...one, ...UNREVIEWED });
      counts?.add(one);
    }
  }
  if (counts !== undefined) {
    for (const one of removed) counts.remove(one);
    await changeCounts(tx, counts);
  }
  const stay = new Set(ids);
  const closed = ended.map(({ id }) => id).filter((id) => !stay.has(id));
  if (closed.length > 0) await tx.query(close, [closed]);
}

/**
 * Deletes versions that ended by the last mark before a time, so that neither this mark nor a later one needs them,
 * `most` at a time.
 *
 * @returns the number of deleted versions
 */
export function deleteOldCases(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from case_versions v using (
       select o.id, o.valid_until from case_versions o
       where o.customer_id = $1 and o.valid_until <= ${lastMark} order by o.valid_until limit $3
     ) old
     where v.customer_id = $1 and v.id = old.id and v.valid_until = old.valid_until`,
    [before, most],
  );
}
