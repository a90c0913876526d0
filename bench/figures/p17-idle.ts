import { setTimeout as sleep } from 'node:timers/promises';
import { openRecordingProxy } from '../floors/recording-proxy';
import { cpuSecondsOf, peakMemoryOf } from '../harness/cpu';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { measureWithin } from '../harness/limited';
import { addLiveCustomers, credentialsKeys } from '../service/live-customers';
import { startService } from '../service/service';

const MIB = 1024 ** 2;

/** Shares of a core, and statements of the database in a second, that a service at rest may take. */
const MOST_CPU = 0.02;
const MOST_STATEMENTS = 50;

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
    await addLiveCustomers(database, few);
    const small = await rest(bench, database, seconds);
    await addLiveCustomers(database, many - few);
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
    env: credentialsKeys,
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
