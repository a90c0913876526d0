import type { QueryResult } from 'typeorm';
import type { Store } from './store';

/** Runs a statement that writes; how many rows it wrote. */
export async function affectedBy(store: Store, sql: string, parameters: readonly unknown[]): Promise<number> {
  // With the third argument TypeORM answers with more than the rows.
  const result: unknown = await store.manager.queryRunner?.query(sql, [...parameters], true);
  return (result as QueryResult | undefined)?.affected ?? 0;
}
