import { deepStrictEqual, strictEqual } from 'node:assert';
import { driverRate } from '../floors/statements';
import { CpuPerResponse } from '../harness/cpu';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { ask, load, wireOf } from '../harness/load';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { median } from '../harness/statistics';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { populate, SAMPLES } from '../service/population';
import { startService, type Service } from '../service/service';

const CONNECTIONS = 16;

/**
 * P5: `GET /objects` of 13 and of 200 contracts that are on one platform or on both, against a SELECT of the payloads'
 * texts, by the driver, on as many connections. Unit: listings per second. Other customers share the tables; one of them
 * has half of all rows.
 */
export const listing: Figure = {
  ids: ['P5'],
  title: 'GET /objects against a raw SELECT of the same texts',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick } = bench;
  const database = await databases.create('bench_p5');
  const service = await startService(database.url, { folder, name: 'p5-service' });
  try {
    bench.progress.say('filling the tables');
    await populate(service, database, quick ? [2_000, 1_000, 1_000] : [10_000, 5_000, 5_000]);
    const few = await makeCustomer(database, 'Customer with 13 contracts');
    const many = await makeCustomer(database, 'Customer with 200 contracts');
    const counts = { project: 10, customer: 20, contract: 200 - 13, invoice: 50, payment: 50 };
    await fillSandboxes(database, many.id, { counts });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    for (const platform of ['platform_a', 'platform_b'] as const) {
      await connectPlatform(service, few, platform, SAMPLES[platform]);
      await connectPlatform(service, many, platform, SAMPLES[platform] + total);
    }
    await database.use((client) => client.query('vacuum analyze').then(() => undefined));
    await database.settle();
    return [
      await measureListing(bench, service, database.url, few, 13),
      await measureListing(bench, service, database.url, many, 200),
    ];
  } finally {
    await service.stop();
    await database.drop();
  }
}

const texts = `select payload::text as text from platform_records
  where customer_id = $1 and platform = 'platform_a' and entity_type = 'contract' order by native_order`;

async function measureListing(
  bench: Bench,
  service: Service,
  databaseUrl: string,
  customer: BenchCustomer,
  records: number,
): Promise<Measurement> {
  const name = `P5 ${records}`;
  const wire = wireOf('GET', '/api/v1/objects?platform=platform_a&entity_type=contract', {
    key: customer.key,
  });
  const first = (await ask(service.url, wire)).body ?? Buffer.alloc(0);
  checkFirst(first, records);
  const call = {
    wire,
    check: ({ body }: { readonly body: Buffer | undefined }) => strictEqual(body?.equals(first), true),
  };
  const seconds = bench.quick ? 1 : 2;
  const shares: number[] = [];
  const cpu = new CpuPerResponse(service.pid);
  const paired = await repeat(bench, bench.progress.named(name), 'rate', {
    floor: () =>
      driverRate({
        url: databaseUrl,
        connections: CONNECTIONS,
        seconds,
        work: async (client) => {
          const { rows } = await client.query<{ text: string }>(texts, [customer.id]);
          strictEqual(rows.length, records);
        },
      }),
    ours: async () => {
      const loaded = await cpu.during(() =>
        load({ url: service.url, connections: CONNECTIONS, seconds, next: () => call }),
      );
      shares.push(loaded.generatorShare);
      return loaded.rate;
    },
  });
  return {
    name,
    ours: `GET /objects, ${records} contracts, ${Math.round(first.length / 1024)} KiB, ${CONNECTIONS} connections`,
    floor: 'SELECT of the same payload texts through the driver',
    unit: 'listings/s',
    comparison: 'rate',
    mark: { atLeast: 0.5 },
    ...paired,
    notes: [
      `the service takes ${short(cpu.milliseconds ?? NaN)} ms of CPU for a listing, the generator ${short(median(shares))} of a core`,
    ],
  };
}

interface Listing {
  readonly data: readonly {
    readonly id: string;
    readonly data: object;
    readonly platform_data: { readonly id: number };
  }[];
}

/** The first answer must be what the specification says; later ones are compared with it byte by byte. */
function checkFirst(body: Buffer, records: number): void {
  const { data } = JSON.parse(body.toString()) as Listing; // As the API describes it.
  strictEqual(data.length, records);
  deepStrictEqual(
    data.map(({ platform_data }) => String(platform_data.id)),
    data.map(({ id }) => id),
  );
  strictEqual(new Set(data.map(({ id }) => id)).size, records);
}
