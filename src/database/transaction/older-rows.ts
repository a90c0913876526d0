import type { Store } from './store';

/** A position in the list of older rows. */
export interface OlderRow {
  /** The row's time as the database writes it: a Date would lose its microseconds. */
  readonly at: string;
  readonly customerId: string;
}

/** A page of customers that have rows older than a time. */
export interface CustomersWithOlderRows {
  readonly customers: readonly string[];
  /** The row after which the next page begins; undefined on the last page. */
  readonly last: OlderRow | undefined;
}

/** The number of rows that one page reads. */
const PAGE = 1_000;

const BEGIN: OlderRow = { at: '-infinity', customerId: '00000000-0000-0000-0000-000000000000' };

/**
 * Customers with rows that are older than a time, in pages. It reads across customers, and only older rows, by an index on
 * the time and the customer. A page begins after all rows that were read, so rows that the caller does not delete keep no
 * other customer from its turn.
 *
 * @param table name of the table, or SQL of a relation in brackets
 * @param time the table's column with the time
 * @param condition SQL for a further condition on the table's row `r`; `$1` is the time
 * @param after the last row of the previous page
 */
export async function customersWithOlderRows(
  store: Store,
  { table, time, condition = 'true' }: { table: string; time: string; condition?: string },
  before: Date,
  after = BEGIN,
): Promise<CustomersWithOlderRows> {
  const rows = await store.query<OlderRow>(
    `select r.customer_id as "customerId", cast(r.${time} as text) as at from ${table} r
     where r.${time} <= $1 and (r.${time}, r.customer_id) > ($2::timestamptz, $3::uuid) and ${condition}
     order by r.${time}, r.customer_id limit $4`,
    [before, after.at, after.customerId, PAGE],
  );
  return {
    customers: [...new Set(rows.map(({ customerId }) => customerId))],
    last: rows.length < PAGE ? undefined : rows.at(-1),
  };
}
