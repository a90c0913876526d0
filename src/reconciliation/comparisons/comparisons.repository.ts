import { stringifyJson } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ComparedResult } from './compared-rows';

/** Columns of text arrays that one statement expands into rows. */
type Columns = readonly (readonly (string | null)[])[];

const microseconds = (column: string): string =>
  `timestamptz 'epoch' + ${column}::bigint * interval '1 microsecond'`;

const insertComparisons = `
  insert into comparisons (customer_id, object_id, left_platform, right_platform, entity_type, state, amounts,
    left_amount, left_currency, right_amount, right_currency, left_project_id, right_project_id, opened_at)
  select $1, n.object_id, n.lefts, n.rights, n.entity_type, n.state, n.amounts, n.left_amount::bigint, n.left_currency,
    n.right_amount::bigint, n.right_currency, n.left_project_id, n.right_project_id, ${microseconds('n.opened_at')}
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::text[])
    n (object_id, lefts, rights, entity_type, state, amounts, left_amount, left_currency, right_amount, right_currency,
      left_project_id, right_project_id, opened_at)`;

// The details are passed as text, because a platform's value may contain characters that an array of values cannot
// hold.
const insertCases = `
  insert into comparison_cases (customer_id, id, object_id, left_platform, right_platform, kind, entity_type, platform,
    platform_id, field, project_id, left_currency, right_currency, difference, weight, opened_at, detail)
  select $1, n.id, n.object_id, n.lefts, n.rights, n.kind, n.entity_type, n.platform, n.platform_id, n.field, n.project_id,
    n.left_currency, n.right_currency, n.difference::bigint, coalesce(abs(n.difference::bigint), -1),
    ${microseconds('n.opened_at')}, n.detail::json
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[])
    n (id, object_id, lefts, rights, kind, entity_type, platform, platform_id, field, project_id, left_currency,
      right_currency, difference, opened_at, detail)
  on conflict (customer_id, id) do update set object_id = excluded.object_id, left_platform = excluded.left_platform,
    right_platform = excluded.right_platform, kind = excluded.kind, entity_type = excluded.entity_type,
    platform = excluded.platform, platform_id = excluded.platform_id, field = excluded.field,
    project_id = excluded.project_id, left_currency = excluded.left_currency, right_currency = excluded.right_currency,
    difference = excluded.difference, weight = excluded.weight, opened_at = excluded.opened_at, detail = excluded.detail`;

/**
 * The comparisons to replace: those of these objects, or those of all objects between two IDs, if the given objects are
 * all that exist there.
 */
export type Replaced =
  | { readonly ids: readonly string[] }
  | { readonly after: string; /** Undefined for the end. */ readonly until: string | undefined };

/** Replaces the comparisons and cases of objects, within the caller's transaction, which holds the lease. */
export async function saveCompared(
  tx: CustomerTransaction,
  replaced: Replaced,
  results: readonly ComparedResult[],
): Promise<void> {
  const [condition, parameters] = conditionOf(replaced);
  const pairs = results.flatMap(({ object, pairs: own }) => own.map((pair) => ({ object, pair })));
  const cases = results.flatMap(({ object, cases: own }) => own.map((one) => ({ object, one })));
  await Promise.all([
    tx.query(`delete from comparisons where customer_id = $1 and ${condition}`, [...parameters]),
    tx.query(`delete from comparison_cases where customer_id = $1 and ${condition}`, [...parameters]),
    ...(pairs.length === 0 ? [] : [tx.query(insertComparisons, [...columnsOfPairs(pairs)])]),
    ...(cases.length === 0 ? [] : [tx.query(insertCases, [...columnsOfCases(cases)])]),
  ]);
}

function conditionOf(replaced: Replaced): readonly [condition: string, parameters: readonly unknown[]] {
  if ('ids' in replaced) return ['object_id = any ($2)', [replaced.ids]];
  const { after, until } = replaced;
  return until === undefined
    ? ['object_id > $2', [after]]
    : ['object_id > $2 and object_id <= $3', [after, until]];
}

function columnsOfPairs(
  rows: readonly {
    readonly object: ComparedResult['object'];
    readonly pair: ComparedResult['pairs'][number];
  }[],
): Columns {
  const column = (value: (row: (typeof rows)[number]) => string | number | null | undefined) =>
    rows.map((row) => value(row)?.toString() ?? null);
  return [
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
    column(({ pair }) => pair.openedAt),
  ];
}

function columnsOfCases(
  rows: readonly {
    readonly object: ComparedResult['object'];
    readonly one: ComparedResult['cases'][number];
  }[],
): Columns {
  const column = (value: (row: (typeof rows)[number]) => string | number | bigint | null) =>
    rows.map((row) => value(row)?.toString() ?? null);
  return [
    column(({ one }) => one.id),
    column(({ object }) => object.id),
    column(({ one }) => one.left),
    column(({ one }) => one.right),
    column(({ one }) => one.kind),
    column(({ object }) => object.entityType),
    column(({ one }) => one.platform),
    column(({ one }) => one.platformId),
    column(({ one }) => one.field),
    column(({ one }) => one.projectId),
    column(({ one }) => one.leftCurrency),
    column(({ one }) => one.rightCurrency),
    column(({ one }) => one.difference),
    column(({ one }) => one.openedAt),
    column(({ one }) => stringifyJson(one.detail)),
  ];
}
