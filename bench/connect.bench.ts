import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { storedEntityTypes, type PlatformName } from '@app/mapper';
import { Client as Postgres } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ConnectionsService } from '../src/connections/connections.service';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres';
import { migrate } from '../src/database/migrate';
import { DemoService } from '../src/demo/demo.service';
import { LARGEST, LargePortfolio, RECORDS } from './large-portfolio';
import { Client, measured, type Measured } from './measure';
import { OneConnector, startService } from './service';

/*
 * Measures connecting 100,000 records of a platform against copying the same rows into an equal table of the same server;
 * listing them; and the other requests against a bare one. Only the ratios mean anything on another machine.
 */
async function main(folder: string): Promise<void> {
  const server = await startEmbeddedPostgres(join(folder, 'postgres'));
  await migrate(server.url);
  const { app, url } = await startService(server.url, new OneConnector(new LargePortfolio()));
  const database = new Postgres({ connectionString: server.url });
  await database.connect();
  try {
    const session = await app.get(DemoService, { strict: false }).open();
    const connections = app.get(ConnectionsService, { strict: false });
    const connect = (platform: PlatformName) =>
      measured(() => connections.connect({ id: session.customer_id, kind: 'demo' }, platform));

    const first = await connect('platform_a');
    const copied = await copyOnce(database, join(folder, 'rows'));
    const second = await connect('platform_b');
    const again = await connect('platform_a');
    const { rows } = await database.query<{ linked: number }>(
      `select count(*)::int as linked from platform_records a join platform_records b
         on b.customer_id = a.customer_id and b.canonical_id = a.canonical_id and b.platform = 'platform_b'
       where a.platform = 'platform_a'`,
    );

    const line = (name: string, { seconds, grownMiB }: Measured<unknown>, more = '') =>
      console.log(
        `${name.padEnd(34)} ${seconds.toFixed(2).padStart(7)} s  ${(seconds / copied.seconds).toFixed(1).padStart(5)} x copy` +
          `  +${grownMiB.toFixed(0)} MiB${more}`,
      );
    line(`copy of ${RECORDS} rows`, copied);
    line('connect of the first platform', first);
    line('connect of the second platform', second, `, ${rows[0]?.linked} linked`);
    line('the first again, unchanged', again);

    const client = new Client(url, session.api_key);
    for (const platform of ['platform_a', 'platform_b'] as const) {
      const listed = await measured(async () => {
        let bytes = 0;
        for (const entityType of storedEntityTypes) {
          bytes += await client.call({
            method: 'GET',
            path: `/objects?platform=${platform}&entity_type=${entityType}`,
          });
        }
        return bytes;
      });
      const mebibytes = listed.result / 1024 ** 2;
      const rate = Math.round(RECORDS / listed.seconds);
      line(`listing of ${platform}`, listed, `, ${rate} records/s, ${mebibytes.toFixed(0)} MiB`);
    }
    await compareRequests(client);
    client.close();
  } finally {
    await database.end();
    await app.close();
    await server.stop();
  }
}

/** Copies the stored records out, and into an equal table. Times the way in only. */
async function copyOnce(database: Postgres, file: string): Promise<Measured<void>> {
  await pipeline(database.query(copyTo('copy platform_records to stdout')), createWriteStream(file));
  await database.query('create table copied (like platform_records including all)');
  const copied = await measured(() =>
    pipeline(createReadStream(file), database.query(copyFrom('copy copied from stdin'))),
  );
  await database.query('drop table copied');
  return copied;
}

async function compareRequests(client: Client): Promise<void> {
  const seconds = 3;
  const transform = JSON.stringify({
    source: 'platform_a',
    target: 'platform_b',
    entity_type: 'payment',
    data: {
      id: 1823456,
      amount: '1700000.00',
      status: 'pending',
      check_number: 'CHK-2026-0101',
      date: '2026-02-01',
    },
    context: { currency: 'USD' },
  });
  // Each change is of another object than the one before, and each object is on both platforms.
  const propagate = (index: number) =>
    JSON.stringify({
      format: 'platform',
      platform: 'platform_a',
      platform_id: String(1 + (index % 10_000)),
      entity_type: LARGEST,
      data: { notes: `Note ${index}` },
    });
  const post = (path: string, body: string) => ({ method: 'POST', path, body }) as const;
  const health = await client.rate(seconds, () => ({ method: 'GET', path: '/health' }));
  const rates = {
    health,
    connections: await client.rate(seconds, () => ({ method: 'GET', path: '/connections' })),
    transform: await client.rate(seconds, () => post('/transform', transform)),
    propagate: await client.rate(seconds, (index) => post('/propagate', propagate(index))),
  };
  for (const [name, rate] of Object.entries(rates)) {
    console.log(
      `${name.padEnd(34)} ${rate.toFixed(0).padStart(7)} /s ${(rate / health).toFixed(2).padStart(5)} x health`,
    );
  }
}

void (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'translation-bench-'));
  try {
    await main(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
})();
