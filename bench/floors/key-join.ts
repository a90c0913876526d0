import type { Database } from '../harness/databases';

/** Two tables of unique keys, and one for their links. */
export async function makeKeyTables(database: Database, keys: number): Promise<void> {
  await database.use(async (client) => {
    for (const side of ['left', 'right']) {
      await client.query(
        `create table ${side}_keys (key text collate "C" not null primary key, id text collate "C" not null)`,
      );
      await client.query(
        `insert into ${side}_keys select 'chk-' || lpad(place::text, 7, '0'), '${side}-' || place
         from generate_series(1, ${keys}) place`,
      );
    }
    await client.query(
      `create table key_links (left_id text collate "C" not null primary key, right_id text collate "C" not null unique)`,
    );
    await client.query('vacuum analyze left_keys, right_keys');
  });
}

/** Joins the keys into the table of links, in one statement. Returns seconds. */
export function joinKeys(database: Database, keys: number): Promise<number> {
  return database.use(async (client) => {
    await client.query('truncate key_links');
    await client.query('checkpoint');
    const begun = performance.now();
    const { rowCount } = await client.query(
      'insert into key_links select l.id, r.id from left_keys l join right_keys r on r.key = l.key',
    );
    const seconds = (performance.now() - begun) / 1000;
    if (rowCount !== keys) throw new Error(`${rowCount ?? 0} of ${keys} keys were joined`);
    return seconds;
  });
}
