import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf, peakMemoryOf } from '../harness/cpu';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { measureWithin } from '../harness/limited';
import { quantile } from '../harness/statistics';
import { countsFor } from '../portfolio/counts';
import { addLiveCustomers, credentialsKeys } from '../service/live-customers';
import { startSimulatedService, type SimulatedService } from '../service/simulated-service';

const MIB = 1024 ** 2;

/** Seconds between two readings of a connection, so that two instances have less to do than two cores can. */
const INTERVAL = 3_600;
/** Seconds that a run may be late: a tenth of five minutes, the interval that the service has unless it is set. */
const MOST_LATE = 30;
/** Milliseconds in which a platform answers. */
const LATENCY = 200;
/** Customers with such IDs, one of 256, have platforms that never answer to the end. */
const SILENT = '00';

/** MiB that the manifests allow an instance. */
const MOST_MEMORY = 512;

/** What happened to the connections that were due within a time. */
interface Due {
  /** Seconds by which each began late; those that did not begin count from their time to the end. */
  readonly late: readonly number[];
  readonly notes: readonly string[];
}

/**
 * P19: how late runs of the schedule begin, on two instances, with 10,000 customers of two live connections each that are due once an
 * hour, and platforms that take 200 ms for a page; alone, and while all connections of one customer in 256 are read without an end.
 * And the memory of an instance that reads 200 connections of 2,000 records for the first time, all due at once. Linux says CPU
 * and memory; elsewhere the figure cannot be measured.
 */
export const dueRuns: Figure = {
  ids: ['P19'],
  title: 'due runs of 10,000 customers of two live connections each',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const rows: Measurement[] = [];
  for (const { name, silent } of [
    { name: 'P19 late', silent: undefined },
    { name: 'P19 late, beside platforms that never answer', silent: SILENT },
  ]) {
    const { late, notes } = await duringSomeMinutes(bench, silent);
    const ours = `${late.length} due runs, 99 % of them`;
    const row = { name, ours, floor: 'a tenth of the usual interval', unit: 's', notes } as const;
    rows.push(await within(bench, row, MOST_LATE, quantile(late, 0.99)));
  }
  const { connections, records, peak, seconds } = await ofAllAtOnce(bench);
  const row = {
    name: 'P19 memory',
    ours: `${connections} first readings of ${records} records, due at once`,
    floor: 'the limit of the manifests',
    unit: 'MiB',
    notes: [`all were read after ${seconds.toFixed(0)} s`],
  } as const;
  return [...rows, await within(bench, row, MOST_MEMORY, peak)];
}

/** One value, measured once, as a share of its limit. */
async function within(
  bench: Bench,
  row: Pick<Measurement, 'name' | 'ours' | 'floor' | 'unit' | 'notes'>,
  limit: number,
  value: number,
): Promise<Measurement> {
  const once = { warmUps: 0, repetitions: 1 };
  const ours = () => Promise.resolve(value);
  const measured = await measureWithin(bench, bench.progress.named(row.name), limit, ours, once);
  return { ...row, comparison: 'multiple', mark: { atMost: 1 }, ...measured };
}

async function ofAllAtOnce({ databases, folder, quick }: Bench): Promise<{
  readonly connections: number;
  readonly records: number;
  readonly peak: number;
  readonly seconds: number;
}> {
  const [customers, records] = quick ? [50, 500] : [100, 2_000];
  const database = await databases.create('bench_p19_memory');
  try {
    await addLiveCustomers(database, customers, 'now()');
    const instance = await startSimulatedService(
      database.url,
      { counts: countsFor(records) },
      { folder, name: 'p19-memory', env: credentialsKeys },
    );
    try {
      const start = performance.now();
      while ((await endedRuns(database)) < 2 * customers) await sleep(500);
      const seconds = (performance.now() - start) / 1_000;
      const peak = peakMemoryOf(instance.pid);
      if (peak === undefined) throw new Error('This system does not say what a process takes');
      return { connections: 2 * customers, records, peak: peak / MIB, seconds };
    } finally {
      await instance.stop();
    }
  } finally {
    await database.drop();
  }
}

/** @throws when a run failed */
function endedRuns(database: Database): Promise<number> {
  return database.use(async (client) => {
    const { rows } = await client.query<{ done: number; failed: string | null }>(
      `select count(*) filter (where status = 'done')::int as done, min(error ->> 'message') as failed from sync_runs`,
    );
    const [{ done, failed } = { done: 0, failed: null }] = rows;
    if (failed !== null) throw new Error(`A run failed: ${failed}`);
    return done;
  });
}

async function duringSomeMinutes(
  { databases, folder, quick, progress }: Bench,
  silent: string | undefined,
): Promise<Due> {
  const [customers, seconds] = quick ? [1_000, 30] : [10_000, 240];
  const database = await databases.create('bench_p19');
  const instances: SimulatedService[] = [];
  try {
    // Later than two instances take to start.
    await addLiveCustomers(
      database,
      customers,
      `now() + interval '20 seconds' + random() * interval '${INTERVAL} seconds'`,
    );
    await database.use(async (client) => {
      if (silent !== undefined)
        await client.query(
          `update sync_schedules set sync_due_at = now() where customer_id::text like $1 || '%'`,
          [silent],
        );
      await client.query(
        'create table due_connections as select customer_id, platform, sync_due_at from sync_schedules',
      );
    });
    await database.settle();
    for (const name of ['p19-first', 'p19-second']) {
      instances.push(
        await startSimulatedService(
          database.url,
          { counts: countsFor(20) },
          {
            ...{ folder, name, latency: LATENCY },
            ...(silent !== undefined && { silent }),
            env: { ...credentialsKeys, SYNC_INTERVAL: `${INTERVAL}s` },
          },
        ),
      );
    }
    const before = cpuOf(instances);
    await sleep(seconds * 1_000);
    const late = await lateness(database, silent);
    const cpu = cpuOf(instances) - before;
    const begun = late.filter(({ began }) => began).length;
    const notes = [
      `${begun} of ${late.length} due runs had begun, half of them within ${quantile(secondsOf(late), 0.5).toFixed(1)} s`,
      `${((cpu / begun) * 1_000).toFixed(0)} ms of CPU for a run, ${instances.map(({ pid }) => ((peakMemoryOf(pid) ?? NaN) / MIB).toFixed(0)).join(' and ')} MiB`,
    ];
    for (const note of notes) progress.say(note);
    return { late: secondsOf(late), notes };
  } finally {
    for (const instance of instances) await instance.stop();
    await database.drop();
  }
}

interface Lateness {
  readonly seconds: number;
  readonly began: boolean;
}

const secondsOf = (late: readonly Lateness[]): readonly number[] => late.map(({ seconds }) => seconds);

/** Of the connections that were due until now, without those that are read without an end. */
function lateness(database: Database, silent: string | undefined): Promise<readonly Lateness[]> {
  return database.use(async (client) => {
    const { rows } = await client.query<Lateness>(
      `select extract(epoch from coalesce(r.started_at, now()) - d.sync_due_at)::float8 as seconds, r.id is not null as began
       from due_connections d left join sync_runs r on r.customer_id = d.customer_id and r.platform = d.platform
       where d.sync_due_at <= now() and ($1::text is null or d.customer_id::text not like $1 || '%')`,
      [silent],
    );
    return rows;
  });
}

function cpuOf(instances: readonly SimulatedService[]): number {
  return instances.reduce((sum, { pid }) => {
    const seconds = cpuSecondsOf(pid);
    if (seconds === undefined) throw new Error('This system does not say what a process takes');
    return sum + seconds;
  }, 0);
}
