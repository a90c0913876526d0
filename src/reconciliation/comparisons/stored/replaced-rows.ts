import { hash } from 'node:crypto';
import { columnList } from '../../../database/column-list';

/**
 * SQL for the rows that were in force at a mark: the present rows that are older than the mark, and the versions that
 * ended after it. `$1` is the customer.
 *
 * @param mark the statement parameter that holds the mark
 */
export function inForce(present: string, versions: string, columns: readonly string[], mark: string): string {
  return `(
    select p.customer_id, ${columnList('p', columns)} from ${present} p
    where p.customer_id = $1 and p.valid_from <= ${mark}::timestamptz
    union all
    select v.customer_id, ${columnList('v', columns)} from ${versions} v
    where v.customer_id = $1 and v.valid_from <= ${mark}::timestamptz and v.valid_until > ${mark}::timestamptz
  )`;
}

/** SQL for the last mark of the customer, `$1`, before a time, `$2`; the time itself without one. */
export const lastMark = `coalesce((
    select max(l.mark) from comparison_marks l where l.customer_id = $1 and l.mark < $2::timestamptz), $2::timestamptz)`;

/**
 * The objects of a page, whose stored rows are replaced: the given objects, or all objects between two IDs if no others
 * exist there.
 */
export type Replaced =
  | { readonly ids: readonly string[] }
  | { readonly after: string; /** Undefined for the end. */ readonly until: string | undefined };

/** SQL for the stored rows of objects, of alias `c`, and its parameters from `$2` on. */
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

/** What all rows of a page have in common. */
export interface PageOfRows {
  readonly customerId: string;
  /** The database's text of the time from which the rows are in force. */
  readonly mark: string;
  /** Whether the counts of cases follow each write. */
  readonly counted: boolean;
}

/** A value of a column; null for none. */
export type ColumnValue = string | null;

/** The text of a column's value. */
export const columnText = (value: string | number | bigint | null | undefined): ColumnValue =>
  value?.toString() ?? null;

/** Characters of a digest: 128 bits. */
const DIGEST_LENGTH = 22;

/** The digest of a row, by which equal rows are recognised. */
export function digestOfRow(values: readonly ColumnValue[]): string {
  return hash('sha256', JSON.stringify(values), 'base64url').slice(0, DIGEST_LENGTH);
}

/** A time as the database reads it. @param microseconds since 1970 */
export function timeOf(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1_000);
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
