import { setTimeout as sleep } from 'node:timers/promises';
import { joinKeys, makeKeyTables } from '../floors/key-join';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { repeat } from '../harness/repeat';
import type { Portfolio } from '../portfolio/counts';
import { connectPlatform } from '../service/connect';
import { makeCustomer, type BenchCustomer } from '../service/customer';
import { ask, wireOf } from '../harness/load';
import { startSimulatedService } from '../service/simulated-service';

/** A run belongs to its instance for so long after the last sign of life (sync-times.ts), with a margin. */
const LEASE_MS = 11_000;

/**
 * P4: making 500,000 staged records of platform_b visible where platform_a has 500,000, half of them with equal keys,
 * against one statement that joins two tables of 500,000 unique keys into a table of links. Unit: seconds.
 *
 * The step is measured at the connector: from the moment when the last page is given until the connect is done. So it
 * has, beside the matching, the storing of the last page and of 500,000 objects and records with all of their indexes,
 * and the removal of what was staged. Each repetition begins with a copy of a database in which a run of platform_b
 * waits for its last page; a new instance takes it over. Three repetitions, since each takes minutes.
 */
export const reconcile: Figure = {
  ids: ['P4'],
  title: 'reconciling 2 × 500,000 keyed records against one join',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const records = quick ? 20_000 : 500_000;
  const portfolio: Portfolio = {
    counts: { project: 0, customer: 0, contract: 0, invoice: 0, payment: records },
    slim: true,
  };
  const database = await databases.create('bench_p4');
  try {
    const customer = await makeCustomer(database);
    progress.say('storing platform_a, staging platform_b');
    await stage(database, portfolio, customer, folder);
    await makeKeyTables(database, records);
    await sleep(LEASE_MS);
    let copies = 0;
    const ours = async (): Promise<number> => {
      const copy = await databases.copy(`bench_p4_${copies++}`, database);
      const service = await startSimulatedService(copy.url, portfolio, { folder, name: 'p4-service' });
      try {
        await connectPlatform(service, customer, 'platform_b', records);
        return (Date.now() - service.lastPageAt('platform_b')) / 1000;
      } finally {
        await service.stop();
        await copy.drop();
      }
    };
    const paired = await repeat(
      bench,
      progress,
      'time',
      { floor: () => joinKeys(database, records), ours },
      { warmUps: 0, repetitions: 3 },
    );
    return [
      {
        name: 'P4',
        ours: `from the last page of ${records} keyed records to visible, with as many on the other platform`,
        floor: `one statement that joins 2 × ${records} unique keys into a table of links`,
        unit: 's',
        comparison: 'time',
        mark: { atLeast: 0.6 },
        ...paired,
      },
    ];
  } finally {
    await database.drop();
  }
}

/** Connects platform_a, and leaves a run of platform_b that has staged all but its last page. */
async function stage(
  database: Database,
  portfolio: Portfolio,
  customer: BenchCustomer,
  folder: string,
): Promise<void> {
  const { payment: records } = portfolio.counts;
  const service = await startSimulatedService(database.url, portfolio, {
    folder,
    name: 'p4-staging',
    withheld: 'platform_b',
  });
  try {
    await connectPlatform(service, customer, 'platform_a', records);
    const wire = wireOf('POST', '/api/v1/connect', {
      key: customer.key,
      body: JSON.stringify({ platform: 'platform_b' }),
    });
    // After a while the answer is 202, which does not matter here.
    void ask(service.url, wire).catch(() => undefined);
    await service.matches(/^Read: platform_b/m, 600_000);
    await sleep(2_000); // the last but one page is being stored
  } finally {
    service.kill();
    await service.stop();
  }
}
