import type { PlatformName } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import type { Database } from '../harness/databases';
import { countsFor, totalOf, type Counts } from '../portfolio/counts';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from './connect';
import { makeCustomer, type BenchCustomer } from './customer';
import type { Service } from './service';

/**
 * Makes customers whose sandboxes hold so many records on each platform, and connects both platforms of each.
 *
 * @returns the customers, in the order of their sizes
 */
export async function populate(
  service: Service,
  database: Database,
  sizes: readonly number[],
): Promise<readonly BenchCustomer[]> {
  const customers: BenchCustomer[] = [];
  for (const size of sizes) {
    const counts = countsFor(size);
    const customer = await makeCustomer(database, `Customer with ${size} records`);
    await fillSandboxes(database, customer.id, { counts });
    for (const platform of ['platform_a', 'platform_b'] as const) {
      await connectPlatform(service, customer, platform, totalOf(counts) + SAMPLES[platform]);
    }
    customers.push(customer);
  }
  return customers;
}

/** The sample records that every sandbox has beside its own. */
export const SAMPLES = { platform_a: 38, platform_b: 36 } as const;

/** All records of a sandbox that was filled with so many: many of platform_a take the place of a sample with their ID. */
export function recordsIn(platform: PlatformName, counts: Counts): number {
  const samples = behaviourOf(platform).portfolio();
  const beside = samples.filter(
    ({ entityType, payload }) => typeof payload['id'] !== 'number' || payload['id'] > counts[entityType],
  );
  return totalOf(counts) + beside.length;
}
