import type { CustomerTransaction } from '../../database/transaction/store';
import type { ComparedResult } from './compared-rows';
import {
  conditionOf,
  inForce,
  lastMark,
  listOf,
  microseconds,
  withDigests,
  type Columns,
  type Replaced,
} from './replaced-rows';

/** Columns of a comparison and of its versions. */
const pairColumns = [
  'object_id',
  'left_platform',
  'right_platform',
  'entity_type',
  'state',
  'amounts',
  'left_amount',
  'left_currency',
  'right_amount',
  'right_currency',
  'left_project_id',
  'right_project_id',
  'left_date',
  'right_date',
  'left_due',
  'right_due',
  'opened_at',
] as const;

/**
 * SQL for comparisons that were in force at a mark: a relation with the columns of a comparison. `$1` is the customer.
 *
 * @param mark the parameter that holds the mark, such as `$5`
 */
export function comparisonsAt(mark: string): string {
  return inForce('comparisons', 'comparison_versions', pairColumns, mark);
}

/** SQL for the comparisons to replace, of alias `c`, but for those that come again: those with the same keys and digest. */
const gonePairs = (condition: string, digests: string): string => `
  c.customer_id = $1 and ${condition}
    and not exists (
      select from unnest(${digests}) n (object_id, lefts, rights, digest)
      where n.object_id = c.object_id and n.lefts = c.left_platform and n.rights = c.right_platform
        and n.digest = c.digest)`;

// What a refresh makes is in force from its mark. Rows that the same refresh made before were never in force.
const keepPairs = (gone: string): string => `
  insert into comparison_versions (customer_id, ${pairColumns.join(', ')}, valid_from, valid_until)
  select s.customer_id, ${listOf(pairColumns, 'c')}, c.valid_from, s.changed_until
  from comparisons c join comparison_states s on s.customer_id = $1 and c.valid_from < s.changed_until
  where ${gone}`;

const insertPairs = `
  insert into comparisons (customer_id, ${pairColumns.join(', ')}, digest, valid_from)
  select $1, n.object_id, n.lefts, n.rights, n.entity_type, n.state, n.amounts, n.left_amount::bigint, n.left_currency,
    n.right_amount::bigint, n.right_currency, n.left_project_id, n.right_project_id, n.left_date::date,
    n.right_date::date, n.left_due::date, n.right_due::date, ${microseconds('n.opened_at')}, n.digest, s.changed_until
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[])
    n (object_id, lefts, rights, entity_type, state, amounts, left_amount, left_currency, right_amount, right_currency,
      left_project_id, right_project_id, left_date, right_date, left_due, right_due, opened_at, digest)
  join comparison_states s on s.customer_id = $1
  on conflict do nothing`;

/**
 * Replaces the comparisons of objects, within the caller's transaction, which holds the lease. Equal rows stay as they are.
 * A version of each other row is kept, until the mark of the refresh.
 */
export async function savePairs(
  tx: CustomerTransaction,
  replaced: Replaced,
  results: readonly ComparedResult[],
): Promise<void> {
  const { condition, parameters } = conditionOf(replaced);
  const rows = results.flatMap(({ object, pairs }) => pairs.map((pair) => ({ object, pair })));
  const columns = columnsOfPairs(rows);
  const keys = [0, 1, 2, 3].map((at) => `$${parameters.length + 2 + at}::text[]`).join(', ');
  const gone = gonePairs(condition, keys);
  const given = [...parameters, ...columns.slice(0, 3), columns.at(-1)];
  await Promise.all([
    tx.query(keepPairs(gone), given),
    tx.query(`delete from comparisons c where ${gone}`, given),
    ...(rows.length === 0 ? [] : [tx.query(insertPairs, [...columns])]),
  ]);
}

/** Deletes versions of which no mark since the last one before a time tells, `most` at a time. @returns how many */
export function deleteOldPairs(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from comparison_versions v using (
       select o.valid_until, o.object_id, o.left_platform, o.right_platform from comparison_versions o
       where o.customer_id = $1 and o.valid_until <= ${lastMark} order by o.valid_until limit $3
     ) old
     where v.customer_id = $1 and v.valid_until = old.valid_until and v.object_id = old.object_id
       and v.left_platform = old.left_platform and v.right_platform = old.right_platform`,
    [before, most],
  );
}

function columnsOfPairs(
  rows: readonly {
    readonly object: ComparedResult['object'];
    readonly pair: ComparedResult['pairs'][number];
  }[],
): Columns {
  const column = (value: (row: (typeof rows)[number]) => string | number | null | undefined) =>
    rows.map((row) => value(row)?.toString() ?? null);
  return withDigests([
    column(({ object }) => object.id),
    column(({ pair }) => pair.left),
    column(({ pair }) => pair.right),
    column(({ object }) => object.entityType),
    column(({ pair }) => pair.state),
    column(({ pair }) => pair.amounts),
    column(({ pair }) => pair.leftAmount?.amount),
    column(({ pair }) => pair.leftAmount?.currency),
    column(({ pair }) => pair.rightAmount?.amount),
    column(({ pair }) => pair.rightAmount?.currency),
    column(({ pair }) => pair.leftProject),
    column(({ pair }) => pair.rightProject),
    column(({ pair }) => pair.leftDates.date),
    column(({ pair }) => pair.rightDates.date),
    column(({ pair }) => pair.leftDates.due),
    column(({ pair }) => pair.rightDates.due),
    column(({ pair }) => pair.openedAt),
  ]);
}
