import type { Store } from '../../database/store';

/** When a customer's comparisons are refreshed in the background; milliseconds. */
interface Pace {
  /** Without a change, and without a reading under way. */
  readonly quiet: number;
  /** That a change waits at most. */
  readonly patience: number;
}

// Demo sessions are small, few of them are ever asked for a statement, and an answer finds the time to compare them.
const firstChange = (customer: string): string =>
  `(select min(h.at) from changes h where h.customer_id = ${customer} and h.at > coalesce(s.changed_until, '-infinity'))`;

const dueSql = `
  select d.customer_id from (
    select c.id as customer_id, ${firstChange('c.id')} as first,
      (select max(h.at) from changes h where h.customer_id = c.id) as last,
      s.walked is not null or exists (select from stale_comparisons o where o.customer_id = c.id) as begun,
      exists (select from sync_runs r where r.customer_id = c.id and r.status = 'running') as being_read
    from customers c left join comparison_states s on s.customer_id = c.id
    where c.kind <> 'demo' and (s.lease_owner is null or s.lease_until < now())
  ) d
  where d.begun
    or (d.first is not null and not d.being_read and d.last <= now() - $1 * interval '1 millisecond')
    or d.first <= now() - $2 * interval '1 millisecond'
  order by coalesce(d.first, '-infinity'), d.customer_id
  limit $3`;

/**
 * Customers whose comparisons are behind their records and that nobody works on, those that wait longest first. Reads across
 * customers.
 */
export async function dueCustomers(
  store: Store,
  { quiet, patience }: Pace,
  limit: number,
): Promise<readonly string[]> {
  const rows = await store.query<{ customer_id: string }>(dueSql, [quiet, patience, limit]);
  return rows.map((row) => row.customer_id);
}

const lagSql = `
  select coalesce(extract(epoch from now() - min(${firstChange('c.id')})), 0)::float8 as lag
  from customers c left join comparison_states s on s.customer_id = c.id where c.kind <> 'demo'`;

/** Age of the oldest change that comparisons do not show yet, in seconds; 0 without one. Reads across customers. */
export async function lagOfComparisons(store: Store): Promise<number> {
  const [row] = await store.query<{ lag: number }>(lagSql);
  return Math.max(0, row?.lag ?? 0);
}

/** Customers that have comparisons, behind one in the order of their IDs. Reads across customers. */
export async function comparedCustomers(
  store: Store,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await store.query<{ customer_id: string }>(
    `select s.customer_id from comparison_states s join customers c on c.id = s.customer_id
     where c.kind <> 'demo' and s.customer_id > $1::uuid order by s.customer_id limit $2`,
    [after, limit],
  );
  return rows.map((row) => row.customer_id);
}
