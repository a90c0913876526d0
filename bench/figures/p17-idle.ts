import { createSecretKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newEnvelope } from '../../src/platforms/credentials/envelope';
import type { MasterKey } from '../../src/runtime/config/credentials-keys';
import { openRecordingProxy } from '../floors/recording-proxy';
import { cpuSecondsOf, peakMemoryOf } from '../harness/cpu';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { measureWithin } from '../harness/limited';
import { startService } from '../service/service';

const MIB = 1024 ** 2;

/** Shares of a core, and statements of the database in a second, that a service at rest may take. */
const MOST_CPU = 0.02;
const MOST_STATEMENTS = 50;

/** The key of all credentials: a service looks whether it opens some of them before it starts. */
const MASTER_KEY: MasterKey = { id: 'bench', key: createSecretKey(randomBytes(32)) };

/** What a service at rest takes. */
interface AtRest {
  /** Share of one core. */
  readonly cpu: number;
  /** Statements in a second. */
  readonly statements: number;
  /** The most resident memory, MiB. */
  readonly memory: number;
}

/**
 * P17: what a service takes while nothing is due, with 10,000 customers of two live connections each: CPU, statements, and memory
 * against the same with 100 customers. Linux says CPU and memory; elsewhere the figure cannot be measured.
 */
export const atRest: Figure = {
  ids: ['P17'],
  title: 'a service at rest with 10,000 customers of two live connections each',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { quick, progress } = bench;
  const [few, many] = [100, quick ? 1_000 : 10_000];
  const seconds = quick ? 20 : 60;
  const database = await bench.databases.create('bench_p17');
  try {
    await addCustomers(database, few);
    const small = await rest(bench, database, seconds);
    await addCustomers(database, many - few);
    await database.settle();
    const rounds: AtRest[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1)
      rounds.push(await rest(bench, database, seconds));
    const of = { warmUps: 0, repetitions: rounds.length };
    const within = (limit: number, value: (one: AtRest) => number) => {
      const left = [...rounds];
      return measureWithin(bench, progress, limit, () => Promise.resolve(value(left.shift() ?? small)), of);
    };
    const ours = `${many} customers, nothing due for ${seconds} s`;
    const row = { ours, comparison: 'multiple', mark: { atMost: 1 } } as const;
    return [
      {
        ...row,
        name: 'P17 CPU',
        floor: 'its limit',
        unit: 'cores',
        ...(await within(MOST_CPU, ({ cpu }) => cpu)),
      },
      {
        ...row,
        ...{ name: 'P17 statements', floor: 'their limit', unit: '1/s' },
        ...(await within(MOST_STATEMENTS, ({ statements }) => statements)),
        notes: [
          `with ${few} customers ${small.statements.toFixed(1)} a second, and ${small.cpu.toFixed(4)} of a core`,
        ],
      },
      {
        ...row,
        ...{ name: 'P17 memory', floor: `${few} customers`, unit: 'MiB', mark: { atMost: 1.1 } },
        ...(await within(small.memory, ({ memory }) => memory)),
      },
    ];
  } finally {
    await database.drop();
  }
}

/** A service of its own, from half a minute behind its start on. */
async function rest(
  { folder, progress, quick }: Bench,
  database: Database,
  seconds: number,
): Promise<AtRest> {
  const proxy = await openRecordingProxy(database.url);
  const service = await startService(proxy.url, {
    folder,
    name: 'p17',
    env: { CREDENTIALS_KEYS: `${MASTER_KEY.id}:${MASTER_KEY.key.export().toString('base64')}` },
  });
  try {
    await sleep(quick ? 5_000 : 30_000);
    proxy.take();
    const before = cpuSecondsOf(service.pid);
    await sleep(seconds * 1_000);
    const statements = proxy.take().length / seconds;
    const [after, memory] = [cpuSecondsOf(service.pid), peakMemoryOf(service.pid)];
    if (before === undefined || after === undefined || memory === undefined)
      throw new Error('This system does not say what a process takes');
    const cpu = (after - before) / seconds;
    progress.say(`${cpu.toFixed(4)} of a core, ${statements.toFixed(1)} statements a second`);
    return { cpu, statements, memory: memory / MIB };
  } finally {
    await service.stop();
    await proxy.close();
  }
}

/** Customers with a connection to each platform, of which none is due for a day. Nothing reads their credentials until then. */
async function addCustomers(database: Database, count: number): Promise<void> {
  await database.use(async (client) => {
    await client.query('begin');
    await client.query('create temporary table added (id uuid, platform text) on commit drop');
    await client.query(
      `insert into added select c.id, p.platform from (select gen_random_uuid() as id from generate_series(1, $1)) c
       cross join (values ('platform_a'), ('platform_b')) p (platform)`,
      [count],
    );
    await client.query(
      `insert into customers (id, name, kind) select distinct id, 'Customer ' || id, 'standard' from added`,
    );
    await client.query(
      `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency)
       select id, platform, 'live', now(), now(), 100, 'USD' from added`,
    );
    const { rows } = await client.query<{ id: string; platform: string }>('select id, platform from added');
    const sealed = rows.map(({ id, platform }) =>
      newEnvelope(MASTER_KEY, { table: 'live_connections', customerId: id, row: platform }),
    );
    await client.query(
      `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
       select id, platform, '{}', secrets, key, $5
       from unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[]) made (id, platform, secrets, key)`,
      [
        rows.map(({ id }) => id),
        rows.map(({ platform }) => platform),
        sealed.map(({ seal }) => seal('secrets', '{}')),
        sealed.map(({ key }) => key.sealedKey),
        MASTER_KEY.id,
      ],
    );
    await client.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at, whole_at)
       select id, platform, now() + interval '1 day', now() from added`,
    );
    await client.query(
      `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
       select l.customer_id, l.platform, now() + interval '1 day', l.changed_at from live_connections l
       on conflict do nothing`,
    );
    await client.query('commit');
  });
}
