import { deepStrictEqual } from 'node:assert';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { load, wireOf, type Call } from '../harness/load';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { CpuPerResponse } from '../harness/cpu';
import { linkedPayments } from '../portfolio/linked-payments';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { propagateCall } from '../service/propagate-call';
import { populate, SAMPLES } from '../service/population';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { connectPlatform } from '../service/connect';
import { startService } from '../service/service';

/** A mechanism of this service's own, and a request whose path it is on. */
interface Mechanism {
  readonly name: string;
  /** Name of the module in bench/mechanisms that switches it off. */
  readonly without: string;
  readonly path: 'transform' | 'listing' | 'propagate';
}

const mechanisms: readonly Mechanism[] = [
  { name: 'message classes', without: 'without-message-classes', path: 'transform' },
  { name: 'requests together', without: 'without-requests-together', path: 'transform' },
  { name: 'responses together', without: 'without-responses-together', path: 'transform' },
  { name: 'DTO fast path', without: 'without-fast-path', path: 'transform' },
  { name: 'caller cache', without: 'without-caller-cache', path: 'transform' },
  { name: 'statement pipeline', without: 'without-statement-pipeline', path: 'propagate' },
  { name: 'remembered texts', without: 'without-remembered-texts', path: 'listing' },
  { name: 'shared reads', without: 'without-shared-reads', path: 'listing' },
];

const CONNECTIONS = 16;
/** A mechanism beside the framework has to save a tenth of its path. */
const MARK = { atLeast: 1.1 } as const;

/**
 * P11: the service against itself with one mechanism switched off, on the path that the mechanism serves. A module that is
 * loaded before the service replaces the mechanism by what the framework or the driver does. Unit: answers per second.
 */
export const mechanismsOff: Figure = {
  ids: ['P11'],
  title: 'the service against itself without one mechanism of its own',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p11');
  const size = quick ? 1_000 : 2_000;
  let service = await startService(database.url, { folder, name: 'p11-service' });
  try {
    progress.say('filling the tables');
    const [customer] = await populate(service, database, [size, size / 2, size / 2]);
    const few = await makeCustomer(database, 'Customer with 13 contracts');
    for (const platform of ['platform_a', 'platform_b'] as const) {
      await connectPlatform(service, few, platform, SAMPLES[platform]);
    }
    if (customer === undefined) throw new Error('There is no customer');
    await service.stop();
    service = await startService(database.url, { folder, name: 'p11-service' });
    await database.use((client) => client.query('vacuum analyze').then(() => undefined));
    await database.settle();
    const calls = callsOf(customer, few, linkedPayments(size));
    const rows: Measurement[] = [];
    for (const { name, without, path } of mechanisms) {
      const other = await startService(database.url, {
        folder,
        name: `p11-${without}`,
        preload: [`bench/mechanisms/${without}.cjs`],
      });
      try {
        const [withIt, withoutIt] = [new CpuPerResponse(service.pid), new CpuPerResponse(other.pid)];
        const rate = (url: string, cpu: CpuPerResponse) => async (): Promise<number> => {
          const options = { url, connections: CONNECTIONS, seconds: quick ? 1 : 2, next: calls[path] };
          return (await cpu.during(() => load(options))).rate;
        };
        const paired = await repeat(
          bench,
          progress.named(`P11 ${name}`),
          'rate',
          { floor: rate(other.url, withoutIt), ours: rate(service.url, withIt) },
          { warmUps: 2 },
        );
        rows.push({
          name: `P11 ${name}`,
          ours: `${titles[path]}, ${CONNECTIONS} connections`,
          floor: 'the same without it',
          unit: 'answers/s',
          comparison: 'rate',
          mark: MARK,
          ...paired,
          notes: [
            `ms of CPU of the service for an answer: ${short(withIt.milliseconds ?? NaN)} with it, ${short(withoutIt.milliseconds ?? NaN)} without`,
          ],
        });
      } finally {
        await other.stop();
      }
    }
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

const titles = {
  transform: 'POST /transform, 3 KB',
  listing: 'GET /objects, 13 records',
  propagate: 'POST /propagate, two sandboxes',
} as const;

function callsOf(
  customer: BenchCustomer,
  few: BenchCustomer,
  ids: readonly number[],
): Readonly<Record<Mechanism['path'], () => Call>> {
  const body = JSON.stringify({
    source: 'platform_b',
    target: 'platform_a',
    entity_type: 'invoice',
    data: invoice,
  });
  const transform: Call = { wire: wireOf('POST', '/api/v1/transform', { key: customer.key, body }) };
  const listing: Call = {
    wire: wireOf('GET', '/api/v1/objects?platform=platform_a&entity_type=contract', { key: few.key }),
    check: ({ body: text }) => {
      const { data } = JSON.parse(text?.toString() ?? '') as { readonly data: readonly unknown[] }; // As the API describes it.
      deepStrictEqual(data.length, 13);
    },
  };
  let changes = 0;
  return {
    transform: () => transform,
    listing: () => listing,
    propagate: () => propagateCall(customer, ids[changes % ids.length] ?? 0, changes++),
  };
}
