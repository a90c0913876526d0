import { hash } from 'node:crypto';

/** Columns of text arrays that one statement expands into rows. */
export type Columns = readonly (readonly (string | null)[])[];

/** SQL for the time of microseconds since 1970. */
export const microseconds = (column: string): string =>
  `timestamptz 'epoch' + ${column}::bigint * interval '1 microsecond'`;

/** SQL for columns of a relation. */
export const listOf = (columns: readonly string[], alias: string): string =>
  columns.map((column) => `${alias}.${column}`).join(', ');

/**
 * SQL for the rows that were in force at a mark: of the present ones those that are older, and of the versions those that
 * ended later. `$1` is the customer.
 *
 * @param mark the parameter that holds the mark
 */
export function inForce(present: string, versions: string, columns: readonly string[], mark: string): string {
  return `(
    select p.customer_id, ${listOf(columns, 'p')} from ${present} p
    where p.customer_id = $1 and p.valid_from <= ${mark}::timestamptz
    union all
    select v.customer_id, ${listOf(columns, 'v')} from ${versions} v
    where v.customer_id = $1 and v.valid_from <= ${mark}::timestamptz and v.valid_until > ${mark}::timestamptz
  )`;
}

/** SQL for the last mark of the customer, `$1`, before a time, `$2`; the time itself without one. */
export const lastMark = `coalesce((
    select max(l.mark) from comparison_marks l where l.customer_id = $1 and l.mark < $2::timestamptz), $2::timestamptz)`;

/**
 * The comparisons to replace: those of these objects, or those of all objects between two IDs, if the given objects are
 * all that exist there.
 */
export type Replaced =
  | { readonly ids: readonly string[] }
  | { readonly after: string; /** Undefined for the end. */ readonly until: string | undefined };

/** SQL for the rows to replace, of alias `c`, and its parameters from `$2` on. */
export function conditionOf(replaced: Replaced): {
  readonly condition: string;
  readonly parameters: readonly unknown[];
} {
  if ('ids' in replaced) return { condition: 'c.object_id = any ($2)', parameters: [replaced.ids] };
  const { after, until } = replaced;
  return until === undefined
    ? { condition: 'c.object_id > $2', parameters: [after] }
    : { condition: '(c.object_id > $2 and c.object_id <= $3)', parameters: [after, until] };
}

/** Characters of a digest: 128 bits. */
const DIGEST_LENGTH = 22;

/** The columns, and one with the digest of each row, by which equal rows are recognised. */
export function withDigests(columns: Columns): Columns {
  const rows = columns[0] ?? [];
  return [
    ...columns,
    rows.map((_, row) =>
      hash('sha256', JSON.stringify(columns.map((column) => column[row])), 'base64url').slice(
        0,
        DIGEST_LENGTH,
      ),
    ),
  ];
}
