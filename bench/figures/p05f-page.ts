import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { timeToFirstBytes } from '../harness/first-bytes';
import { load, wireOf } from '../harness/load';
import { repeat } from '../harness/repeat';
import { quantile } from '../harness/statistics';
import { cloneCustomer } from '../portfolio/clones';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { SAMPLES } from '../service/population';
import { startService, type Service } from '../service/service';

/** Records of a page. */
const PAGE = 200;
const CONNECTIONS = 4;

/** One database with its service, and two customers in it. */
interface Place {
  readonly database: Database;
  readonly service: Service;
  /** Has half of all objects. */
  readonly large: BenchCustomer;
  /** Has one page of contracts. */
  readonly small: BenchCustomer;
}

/**
 * P5f: the 99th percentile of the time for one page in a database with 1,000,000 objects, against one with 10,000. Unit:
 * milliseconds. Two pages: a whole listing of 200 records of a customer that has no more, and the beginning of a listing
 * of the customer that has half of all objects. Objects have a record on one platform or on both. Few were connected;
 * the others are copies of their rows.
 */
export const page: Figure = {
  ids: ['P5f'],
  title: 'p99 of a page at 1,000,000 objects against 10,000',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { quick, progress } = bench;
  const places: Place[] = [];
  try {
    const few = await openPlace(bench, 'few', 10_000);
    places.push(few);
    const many = await openPlace(bench, 'many', quick ? 100_000 : 1_000_000);
    places.push(many);
    const pages = quick ? 150 : 600;
    const kinds = [
      {
        name: 'P5f whole',
        title: 'p99 of a listing of 200 records',
        p99: ({ service, small }: Place) => wholeListing(service, small, pages),
      },
      {
        name: 'P5f first',
        title: 'p99 of the first page of the customer with half of all objects',
        p99: ({ service, large }: Place) => firstPage(service, large, pages),
      },
    ];
    const rows: Measurement[] = [];
    for (const { name, title, p99 } of kinds) {
      const paired = await repeat(bench, progress.named(name), 'multiple', {
        floor: () => p99(few),
        ours: () => p99(many),
      });
      rows.push({
        name,
        ours: `${title}, ${quick ? '100,000' : '1,000,000'} objects`,
        floor: 'the same with 10,000 objects',
        unit: 'ms',
        comparison: 'multiple',
        mark: { atMost: 1.3 },
        ...paired,
      });
    }
    return rows;
  } finally {
    for (const { service, database } of places) {
      await service.stop();
      await database.drop();
    }
  }
}

async function openPlace(bench: Bench, name: string, objects: number): Promise<Place> {
  bench.progress.say(`making ${objects} objects`);
  const database = await bench.databases.create(`bench_p5f_${name}`);
  const service = await startService(database.url, { folder: bench.folder, name: `p5f-${name}` });
  const large = await makeCustomer(database, 'Half of all objects');
  // Half of the records link, so the two platforms come to 1.5 times the objects of one. A tenth of the whole is connected.
  const counts = { project: 10, customer: 50, contract: 333, invoice: 100, payment: 174 };
  await fillSandboxes(database, large.id, { counts, slim: true });
  await connectBoth(
    service,
    large,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  );
  const each = await countObjects(database);
  const small = await makeCustomer(database, 'One page');
  const page = { project: 10, customer: 20, contract: PAGE - 13, invoice: 20, payment: 20 };
  await fillSandboxes(database, small.id, { counts: page });
  await connectBoth(
    service,
    small,
    Object.values(page).reduce((sum, count) => sum + count, 0),
  );
  const times = Math.ceil(objects / 2 / each);
  await cloneCustomer(database, large.id, { times, customers: times });
  const made = await countObjects(database);
  if (made < objects) throw new Error(`There are ${made} objects instead of ${objects}`);
  await database.settle();
  return { database, service, large, small };
}

async function connectBoth(service: Service, customer: BenchCustomer, records: number): Promise<void> {
  for (const platform of ['platform_a', 'platform_b'] as const) {
    await connectPlatform(service, customer, platform, records + SAMPLES[platform]);
  }
}

async function countObjects(database: Database): Promise<number> {
  const { rows } = await database.use((client) =>
    client.query<{ count: number }>('select count(*)::int as count from canonical_objects'),
  );
  return rows[0]?.count ?? 0;
}

function contractsOf({ key }: BenchCustomer): Buffer {
  return wireOf('GET', '/api/v1/objects?platform=platform_a&entity_type=contract', { key });
}

async function wholeListing({ url }: Service, customer: BenchCustomer, pages: number): Promise<number> {
  const call = { wire: contractsOf(customer), check: checkCount };
  const { latencies } = await load({ url, connections: CONNECTIONS, requests: pages, next: () => call });
  return quantile(latencies, 0.99);
}

function checkCount({ body }: { readonly body: Buffer | undefined }): void {
  const { data } = JSON.parse(body?.toString() ?? '') as { readonly data: readonly unknown[] }; // As the API describes it.
  if (data.length !== PAGE) throw new Error(`The page has ${data.length} records`);
}

async function firstPage({ url }: Service, customer: BenchCustomer, pages: number): Promise<number> {
  const wire = contractsOf(customer);
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (latencies.length < pages) latencies.push(await timeToFirstBytes(url, wire));
    }),
  );
  return quantile(latencies, 0.99);
}
