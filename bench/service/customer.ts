import { randomUUID } from 'node:crypto';
import { generateKey, hashKey, hintOf } from '../../src/auth/keys/api-key';
import type { Database } from '../harness/databases';

/** A customer of the operator's, and a live key of it. */
export interface BenchCustomer {
  readonly id: string;
  readonly key: string;
}

/** Makes a customer. Demo sessions are limited in number and would not do. */
export async function makeCustomer(database: Database, name = 'Bench'): Promise<BenchCustomer> {
  const id = randomUUID();
  const key = generateKey('live');
  await database.use(async (client) => {
    await client.query(`insert into customers (id, name, kind) values ($1, $2, 'standard')`, [id, name]);
    await client.query(
      `insert into api_keys (id, customer_id, mode, hash, hint) values ($1, $2, 'live', $3, $4)`,
      [randomUUID(), id, hashKey(key), hintOf(key)],
    );
  });
  return { id, key };
}
