import type { Store } from '../../../src/database/transaction/store';
import type { UnitOfWork } from '../../../src/database/transaction/unit-of-work';

/** Rows that a work reads of all tables, and entries of all indexes. */
export function rowsRead(unitOfWork: UnitOfWork, work: (store: Store) => Promise<unknown>): Promise<number> {
  return unitOfWork.run(async (store) => {
    const read = async () => {
      const [row] = await store.query<{ read: number }>(
        `select sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid))::int as read
         from pg_class c where c.relnamespace = 'public'::regnamespace`,
      );
      return row?.read ?? NaN;
    };
    const before = await read();
    await work(store);
    return (await read()) - before;
  });
}
