import { strictEqual } from 'node:assert';
import { minimalChange } from '../floors/minimal-change';
import { openRecordingProxy, type SentStatement } from '../floors/recording-proxy';
import { recordingsOf, replay, type Recording } from '../floors/replay';
import { driverRate } from '../floors/statements';
import { CpuPerResponse } from '../harness/cpu';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { ask, load } from '../harness/load';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { median } from '../harness/statistics';
import { linkedPayments } from '../portfolio/linked-payments';
import type { BenchCustomer } from '../service/customer';
import { propagateCall } from '../service/propagate-call';
import { populate } from '../service/population';
import { startService } from '../service/service';

const CONNECTIONS = 16;
/** Requests whose statements are recorded. */
const RECORDED = 150;
/** Requests before that, so that caches are warm and statements prepared. */
const UNRECORDED = 50;

/**
 * P6: `POST /propagate` of a payment's amount and notes to two sandboxes. Unit: changes per second. Each change is of
 * another object than those under way.
 *
 * The floor sends the very statements that the service sends for such a request, with the same parameters but for new
 * UUIDs, by the driver on as many connections. They are recorded from a service that is warm and has one request at a
 * time. So the floor has no HTTP, no key that is not looked up, no planning of the change; and it takes as many round
 * trips as the service does. To show what those cost, a second row has a floor that takes the fewest: lock, read, write
 * two records and an entry.
 */
export const propagate: Figure = {
  ids: ['P6'],
  title: 'POST /propagate against its statements as a raw transaction',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p6');
  const size = quick ? 2_000 : 5_000;
  let service = await startService(database.url, { folder, name: 'p6-service' });
  try {
    progress.say('filling the tables');
    const [customer] = await populate(service, database, [size, size / 2, size / 2]);
    if (customer === undefined) throw new Error('There is no customer');
    const ids = linkedPayments(size);
    await service.stop();
    progress.say('recording the statements of a change');
    const recordings = await recorded(bench, database, customer, ids);
    service = await startService(database.url, { folder, name: 'p6-service' });
    await database.use((client) => client.query('vacuum analyze').then(() => undefined));
    await database.settle();

    const seconds = quick ? 1 : 2;
    const shares: number[] = [];
    const cpu = new CpuPerResponse(service.pid);
    let changes = 0;
    const ours = async () => {
      const loaded = await cpu.during(() =>
        load({
          url: service.url,
          connections: CONNECTIONS,
          seconds,
          next: () => propagateCall(customer, idAt(ids, changes), changes++),
        }),
      );
      shares.push(loaded.generatorShare);
      return loaded.rate;
    };
    const rate = (work: Parameters<typeof driverRate>[0]['work']) => () =>
      driverRate({ url: database.url, connections: CONNECTIONS, seconds, work });
    const floors = [
      {
        name: 'P6',
        title: `the ${recordings[0]?.statements.length ?? 0} statements that it sends, through the driver`,
        mark: { mark: { atLeast: 0.6 } },
        floor: rate((client, index) => replay(client, recordingAt(recordings, index))),
      },
      {
        name: 'P6 minimal',
        title: 'a raw transaction that locks, reads, writes two records and an entry',
        mark: {},
        floor: rate((client, index) => minimalChange(client, customer.id, idAt(ids, index))),
      },
    ];
    const rows: Measurement[] = [];
    for (const { name, title, mark, floor } of floors) {
      const paired = await repeat(bench, progress.named(name), 'rate', { floor, ours });
      rows.push({
        name,
        ours: `POST /propagate, two sandboxes, ${CONNECTIONS} connections`,
        floor: title,
        unit: 'changes/s',
        comparison: 'rate',
        ...mark,
        ...paired,
        notes: [
          `the service takes ${short(cpu.milliseconds ?? NaN)} ms of CPU for a change, the generator ${short(median(shares))} of a core`,
        ],
      });
    }
    await checkHistory(database, customer, changes);
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

function idAt(ids: readonly number[], index: number): number {
  return ids[index % ids.length] ?? 0;
}

function recordingAt(recordings: readonly Recording[], index: number): Recording {
  const recording = recordings[index % recordings.length];
  if (recording === undefined) throw new Error('Nothing was recorded');
  return recording;
}

async function recorded(
  bench: Bench,
  database: Database,
  customer: BenchCustomer,
  ids: readonly number[],
): Promise<readonly Recording[]> {
  const proxy = await openRecordingProxy(database.url);
  const service = await startService(proxy.url, { folder: bench.folder, name: 'p6-recorded' });
  try {
    const made: SentStatement[][] = [];
    // The same objects twice, with other changes.
    for (let number = -UNRECORDED; number < 2 * RECORDED; number++) {
      const call = propagateCall(customer, idAt(ids, Math.max(0, number) % RECORDED), RECORDED + number);
      proxy.take();
      const answer = await ask(service.url, call.wire);
      strictEqual(answer.status, 200, answer.body?.toString());
      if (number >= 0) made.push([...proxy.take()]);
    }
    return recordingsOf(
      made.slice(0, RECORDED).map((first, index) => [first, made[index + RECORDED] ?? []] as const),
    );
  } finally {
    await service.stop();
    await proxy.close();
  }
}

/** Every change must have left its entry. */
async function checkHistory(database: Database, customer: BenchCustomer, changes: number): Promise<void> {
  const { rows } = await database.use((client) =>
    client.query<{ entries: number }>(
      `select count(*)::int as entries from propagations where customer_id = $1 and updated_fields::text like '%notes%'`,
      [customer.id],
    ),
  );
  const entries = rows[0]?.entries ?? 0;
  if (entries < changes) throw new Error(`Of ${changes} changes, ${entries} left an entry`);
}
