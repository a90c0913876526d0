import { Scales, type Weight } from '../../test/support/console/console-page';
import { ensureChromium, inWindow } from '../console/window';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { countsFor, type Counts } from '../portfolio/counts';
import { linkedPayments } from '../portfolio/linked-payments';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { recordsIn } from '../service/population';
import { startService, type Service } from '../service/service';
import { BenchClient } from '../statement/client';
import { untilCompared } from '../statement/steps';

/** Records of each platform: few, and many. */
const SIZES = { few: 500, many: 500_000, quick: 5_000 };
/** Projects of the smaller book: facets have as many, so that the books differ in the number of their records alone. */
const PROJECTS = 50;
/** Changes that were made in each book. Both are more than the page shows. */
const CHANGES = { few: 110, many: 330 };
const SIGNOFFS = 5;
/** Milliseconds without a call after which a screen has read everything. */
const QUIET = 500;
const screens = [
  '/',
  '/cases?entity_type=payment',
  '/cases?entity_type=payment&sort=amount',
  '/objects?type=payment&q=chk',
  '/changes',
  '/signoffs',
];

/**
 * P14: elements of the page and bytes that its API calls brought, with 1,000,000 records against 1,000, for the statement and each
 * list. Both are to be the same within a twentieth: nothing on the page grows with the books. Lists show cases of one type, of
 * which both books have the same kinds in the same shares.
 */
export const sizesOfScreens: Figure = {
  ids: ['P14'],
  title: 'the console: elements and bytes of its screens with many records',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { progress, quick } = bench;
  const size = quick ? SIZES.quick : SIZES.many;
  await ensureChromium(bench.folder);
  const database = await bench.databases.create('bench_p14');
  const service = await startService(database.url, { folder: bench.folder, name: 'p14' });
  try {
    const few = await filled(service, database, { ...countsFor(SIZES.few), project: PROJECTS }, CHANGES.few);
    progress.say(`connecting 2 × ${size} records`);
    const many = await filled(service, database, countsFor(size), CHANGES.many);
    const [ofFew, ofMany] = [await weightsOf(service, few), await weightsOf(service, many)];
    const rows: Measurement[] = [];
    for (const [what, unit] of [
      ['nodes', 'elements'],
      ['bytes', 'bytes'],
    ] as const) {
      for (const [place, path] of screens.entries()) {
        const [floor, ours] = [ofFew[place]?.[what] ?? 0, ofMany[place]?.[what] ?? 0];
        progress.named(path).say(`${floor} and ${ours} ${unit}`);
        rows.push({
          name: `P14 ${what} of ${path}`,
          ours: `2 × ${size} records`,
          floor: `2 × ${SIZES.few} records`,
          mark: { atMost: 1.05 },
          comparison: 'multiple',
          unit,
          // Sizes, which are the same each time.
          repetitions: [{ floorBefore: floor, ours, floorAfter: floor, ratio: ours / floor }],
          voided: 0,
          unsteady: false,
        });
      }
    }
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** A customer whose books are read and compared, and have been changed and signed. */
async function filled(
  service: Service,
  database: Database,
  counts: Counts,
  changes: number,
): Promise<BenchCustomer> {
  const customer = await makeCustomer(database, 'Console');
  // Long texts and keys of many records would be in some pages of one book and not of the other.
  await fillSandboxes(database, customer.id, {
    ...{ counts, linked: 0.8, disagreeing: true, sharing: 5, slim: true },
  });
  for (const platform of ['platform_a', 'platform_b'] as const) {
    await connectPlatform(service, customer, platform, recordsIn(platform, counts));
  }
  const client = new BenchClient(service.url, customer.key);
  const [payment] = linkedPayments(SIZES.few);
  for (let number = 0; number < changes; number += 1) {
    const named = { platform: 'platform_a', platform_id: String(payment), entity_type: 'payment' };
    const body = { format: 'platform', ...named, data: { notes: `Change ${number}` } };
    await client.ask('/propagate', { method: 'POST', body });
  }
  await untilCompared(client);
  const { data } = await client.json<{ readonly data: SignedStatement }>('/reconciliation');
  const { as_of, currency, digest } = data;
  for (let number = 0; number < SIGNOFFS; number += 1) {
    const body = { as_of, currency, digest, role: 'prepared', signed_by: `Accountant ${number}` };
    await client.ask('/reconciliation/signoffs', { method: 'POST', body });
  }
  return customer;
}

/** What a sign-off names of its statement. */
interface SignedStatement {
  readonly as_of: string;
  readonly currency: string;
  readonly digest: string;
}

/** The weights of all screens, one after the other. */
function weightsOf({ url }: Service, { key }: BenchCustomer): Promise<readonly Weight[]> {
  return inWindow({}, async ({ page }) => {
    page.setDefaultTimeout(120_000);
    const scales = new Scales(page, key, QUIET);
    await page.goto(`${url}/console`);
    const weights: Weight[] = [];
    for (const path of screens) weights.push(await scales.weigh(path));
    return weights;
  });
}
