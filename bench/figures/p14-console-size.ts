import { enter, inWindow, show } from '../console/window';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { repeat } from '../harness/repeat';
import { countsFor } from '../portfolio/counts';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { recordsIn } from '../service/population';
import { startService, type Service } from '../service/service';
import { BenchClient } from '../statement/client';
import { untilCompared } from '../statement/steps';

/** Records of each platform: few, and many. */
const SIZES = { few: 500, many: 500_000, quick: 5_000 };
const screens = ['/', '/cases', '/cases?sort=amount', '/objects?type=payment&q=chk', '/changes', '/signoffs'];

/**
 * P14: elements of the page and bytes that its API calls brought, with 1,000,000 records against 1,000, for the statement and each
 * list. Both are to be the same within a twentieth: nothing on the page grows with the books.
 */
export const sizesOfScreens: Figure = {
  ids: ['P14'],
  title: 'the console: elements and bytes of its screens with many records',
  run: measure,
};

interface Weight {
  readonly nodes: number;
  readonly bytes: number;
}

const weight = `({
  nodes: document.querySelectorAll('*').length,
  bytes: performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/'))
    .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
})`;

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { progress, quick } = bench;
  const size = quick ? SIZES.quick : SIZES.many;
  const database = await bench.databases.create('bench_p14');
  const service = await startService(database.url, { folder: bench.folder, name: 'p14' });
  try {
    const few = await filled(service, database, SIZES.few);
    progress.say(`connecting 2 × ${size} records`);
    const many = await filled(service, database, size);
    const rows: Measurement[] = [];
    for (const [what, unit] of [
      ['nodes', 'elements'],
      ['bytes', 'bytes'],
    ] as const) {
      for (const path of screens) {
        const paired = await repeat(
          bench,
          progress.named('P14'),
          'multiple',
          {
            floor: async () => (await weightOf(service, few, path))[what],
            ours: async () => (await weightOf(service, many, path))[what],
          },
          { warmUps: 0, repetitions: 1 },
        );
        rows.push({
          name: `P14 ${what} of ${path}`,
          ours: `2 × ${size} records`,
          floor: `2 × ${SIZES.few} records`,
          mark: { atMost: 1.05 },
          comparison: 'multiple',
          ...{ unit, ...paired },
        });
      }
    }
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** A customer whose books are read and compared. */
async function filled(service: Service, database: Database, records: number): Promise<BenchCustomer> {
  const customer = await makeCustomer(database, 'Console');
  const counts = countsFor(records);
  await fillSandboxes(database, customer.id, { counts, linked: 0.8, disagreeing: true });
  for (const platform of ['platform_a', 'platform_b'] as const) {
    await connectPlatform(service, customer, platform, recordsIn(platform, counts));
  }
  await untilCompared(new BenchClient(service.url, customer.key));
  return customer;
}

function weightOf({ url }: Service, { key }: BenchCustomer, path: string): Promise<Weight> {
  return inWindow({}, async ({ page, settled }) => {
    page.setDefaultTimeout(120_000);
    await page.goto(`${url}/console#/connections`);
    await enter(page, key);
    await show(page, '/connections');
    await settled();
    await page.evaluate('performance.clearResourceTimings()');
    await show(page, path);
    await settled();
    return page.evaluate<Weight>(weight);
  });
}
