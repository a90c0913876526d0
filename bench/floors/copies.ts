import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Database } from '../harness/databases';

/** The tables that a connect fills for good. */
const tables = ['canonical_objects', 'platform_records'] as const;

/** Rows of the tables, as files that COPY reads. */
export interface CopiedRows {
  /**
   * Copies the rows into tables with the same columns and indexes as the service's, which are empty. Foreign keys are left out,
   * so that COPY only stores.
   *
   * @returns seconds
   */
  copyIn(database: Database): Promise<number>;
}

/** Takes the rows that a customer has now. */
export async function rowsOf(database: Database, customerId: string, folder: string): Promise<CopiedRows> {
  const fileOf = (table: string) => join(folder, `${table}.rows`);
  await database.use(async (client) => {
    for (const table of tables) {
      const rows = `select ${(await columnsOf(client, table)).join(', ')} from ${table} where customer_id = '${customerId}'`;
      await pipeline(client.query(copyTo(`copy (${rows}) to stdout`)), createWriteStream(fileOf(table)));
      await client.query(`create table copied_${table} (like ${table} including all)`);
    }
  });
  return {
    copyIn: (target) =>
      target.use(async (client) => {
        for (const table of tables) await client.query(`truncate copied_${table}`);
        await client.query('checkpoint');
        const begun = performance.now();
        await client.query('begin');
        for (const table of tables) {
          const columns = (await columnsOf(client, table)).join(', ');
          const copy = client.query(copyFrom(`copy copied_${table} (${columns}) from stdin`));
          await pipeline(createReadStream(fileOf(table)), copy);
        }
        await client.query('commit');
        return (performance.now() - begun) / 1000;
      }),
  };
}

/** The columns that can be written, in the order of the table. */
async function columnsOf(client: Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0
       and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}
