import { Client } from 'pg';

/** A lock that the transaction of another client holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/** @param what as in `comparisons in share mode` */
export async function heldLock(databaseUrl: string, what: string): Promise<HeldLock> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${what}`);
  return { release: () => client.end() };
}
