import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CaseKind } from '../../../records/events/case-kinds';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import type { AmountComparison, ComparedPair, State } from '../comparison';

/** A moment that comparisons are compared with. Times are in UTC, with microseconds. */
export interface ComparedMoment {
  /** The time up to which comparisons had followed the records. */
  readonly mark: string;
  /** The time at which reviews counted: the mark, or a later one. */
  readonly asOf: string;
}

// A row that a refresh writes is in force from its mark on, and the replaced row until then. A review counts from its
// begin to its end, and an acceptance until its own end. Each part reads an index from the moment on, up to the limit.
const replacedSql = `
  select object_id as id from (
    (select c.object_id from comparisons c where c.customer_id = $1 and c.valid_from > $2::timestamptz limit $5)
    union all
    (select v.object_id from comparison_versions v
      where v.customer_id = $1 and v.valid_until > $2::timestamptz limit $5)
    union all
    (select k.object_id from comparison_cases k where k.customer_id = $1 and k.valid_from > $2::timestamptz limit $5)
    union all
    (select w.object_id from case_versions w where w.customer_id = $1 and w.valid_until > $2::timestamptz limit $5)
    union all
    (select k.object_id from (
      (select r.case_id from case_reviews r
        where r.customer_id = $1 and r.valid_until is null and r.valid_from > $3::timestamptz limit $5)
      union all
      (select r.case_id from case_reviews r where r.customer_id = $1 and r.valid_until > $3::timestamptz limit $5)
      union all
      (select r.case_id from case_reviews r
        where r.customer_id = $1 and r.valid_until is null and r.accepted_until > $3::timestamptz
          and r.accepted_until <= $4::timestamptz limit $5)
    ) r join comparison_cases k on k.customer_id = $1 and k.id = r.case_id limit $5)
  ) replaced
  limit $5`;

/**
 * The objects whose comparisons, cases or acceptances were replaced, began or ended since a moment, in the caller's
 * snapshot. An object occurs once for each such row. Undefined if there are more rows than the limit.
 *
 * @param until the time at which reviews count now, in UTC with microseconds
 */
export async function replacedSince(
  tx: CustomerTransaction,
  { mark, asOf }: ComparedMoment,
  until: string,
  most: number,
): Promise<readonly string[] | undefined> {
  const rows = await tx.query<{ id: string }>(replacedSql, [mark, asOf, until, most + 1]);
  return rows.length > most ? undefined : rows.map(({ id }) => id);
}

/** The time for which a row is or was in force: UTC, with microseconds. */
interface Lasting {
  /** Null for a row of a release from before rows were kept. */
  readonly from: string | null;
  /** Null for a present row. */
  readonly until: string | null;
}

/** A comparison of an object. */
export interface LastingPair extends Lasting, ComparedPair {
  readonly objectId: string;
  readonly entityType: StoredEntityType;
}

/** A case of an object, as it tells what is accepted. */
export interface LastingCase extends Lasting {
  readonly id: string;
  readonly objectId: string;
  readonly kind: CaseKind;
  readonly field: string | null;
  readonly platform: PlatformName | null;
  readonly left: PlatformName;
  readonly right: PlatformName;
  /** Days, `YYYY-MM-DD`. */
  readonly listedFrom: string | null;
  readonly listedBefore: string | null;
  /** Null if a former release made the row. */
  readonly valuesDigest: string | null;
}

/** An acceptance of a case. */
export interface LastingAcceptance extends Lasting {
  readonly caseId: string;
  readonly values: string;
  /** When it ends by itself; null for never. */
  readonly endsAt: string | null;
}

/** The rows of some objects that are in force, or were at a moment or later. */
export interface LastingRows {
  readonly pairs: readonly LastingPair[];
  readonly cases: readonly LastingCase[];
  readonly acceptances: readonly LastingAcceptance[];
}

/** SQL for the present rows and the versions of some objects, `$2`, that were in force after a time, `$3`. */
const lasting = (present: string, versions: string, columns: string): string => `
  select ${columns}, ${timeText('r.valid_from')} as from, null as until from ${present} r
  where r.customer_id = $1 and r.object_id = any ($2::text[]) and $3::text is not null
  union all
  select ${columns}, ${timeText('r.valid_from')}, ${timeText('r.valid_until')} from ${versions} r
  where r.customer_id = $1 and r.valid_until > $3::timestamptz and r.object_id = any ($2::text[])`;

const pairsSql = lasting(
  'comparisons',
  'comparison_versions',
  `r.object_id as "objectId", r.entity_type as "entityType", r.left_platform as left, r.right_platform as right, r.state, r.amounts,
   r.left_amount, r.left_currency, r.right_amount, r.right_currency, r.left_project_id as "leftProject",
   r.right_project_id as "rightProject", r.left_date::text, r.left_due::text, r.right_date::text, r.right_due::text`,
);

const casesSql = lasting(
  'comparison_cases',
  'case_versions',
  `r.id, r.object_id as "objectId", r.kind, r.field, r.platform, r.left_platform as left, r.right_platform as right,
   r.listed_from::text as "listedFrom", r.listed_before::text as "listedBefore", r.values_digest as "valuesDigest"`,
);

const acceptancesSql = `
  select r.case_id as "caseId", r.accepted_values as values, ${timeText('r.accepted_until')} as "endsAt",
    ${timeText('r.valid_from')} as from, ${timeText('r.valid_until')} as until
  from (
    select k.id from comparison_cases k where k.customer_id = $1 and k.object_id = any ($2::text[])
    union
    select v.id from case_versions v
    where v.customer_id = $1 and v.valid_until > $3::timestamptz and v.object_id = any ($2::text[])
  ) c
  join case_reviews r on r.customer_id = $1 and r.case_id = c.id and r.accepted_at is not null`;

interface PairRow
  extends
    Lasting,
    Pick<LastingPair, 'objectId' | 'entityType' | 'left' | 'right' | 'leftProject' | 'rightProject'> {
  readonly state: State;
  readonly amounts: AmountComparison | null;
  readonly left_amount: string | null;
  readonly left_currency: string | null;
  readonly right_amount: string | null;
  readonly right_currency: string | null;
  readonly left_date: string | null;
  readonly left_due: string | null;
  readonly right_date: string | null;
  readonly right_due: string | null;
}

/**
 * The rows of objects that are in force, and those that were after a time, in the caller's snapshot.
 *
 * @param since in UTC, with microseconds
 */
export async function lastingRows(
  tx: CustomerTransaction,
  objects: readonly string[],
  since: string,
): Promise<LastingRows> {
  if (objects.length === 0) return { pairs: [], cases: [], acceptances: [] };
  const [pairs, cases, acceptances] = await Promise.all([
    tx.query<PairRow>(pairsSql, [objects, since]),
    tx.query<LastingCase>(casesSql, [objects, since]),
    tx.query<LastingAcceptance>(acceptancesSql, [objects, since]),
  ]);
  return { pairs: pairs.map(pairFrom), cases, acceptances };
}

function pairFrom(row: PairRow): LastingPair {
  const { objectId, entityType, left, right, state, amounts, leftProject, rightProject, from, until } = row;
  const side = (name: 'left' | 'right') => {
    const [amount, currency] = [row[`${name}_amount`], row[`${name}_currency`]];
    return {
      amount: amount === null || currency === null ? null : { amount: Number(amount), currency },
      dates: { date: row[`${name}_date`], due: row[`${name}_due`] },
    };
  };
  const [onLeft, onRight] = [side('left'), side('right')];
  return {
    objectId,
    entityType,
    left,
    right,
    state,
    amounts: amounts ?? undefined,
    leftProject,
    rightProject,
    leftAmount: onLeft.amount,
    rightAmount: onRight.amount,
    leftDates: onLeft.dates,
    rightDates: onRight.dates,
    from,
    until,
  };
}
