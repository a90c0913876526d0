import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement, Repetition } from '../harness/figure';
import { short } from '../harness/paired';
import { countsFor, totalOf } from '../portfolio/counts';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { startSimulatedService } from '../service/simulated-service';
import { BenchClient } from '../statement/client';

/** Share of the records that both platforms have. */
const LINKED = 0.9;

const LOOK_MS = 20;

/**
 * P18: the first comparison of all objects, against the connects of both platforms before it. Unit: seconds. The platforms make
 * 100,000 records each while they are read, as for P3; nine in ten are linked, one amount in 25 and one text in 10 differ. A
 * statement is asked for when the second platform is connected, and the comparison has ended when its mark is there.
 */
export const firstComparison: Figure = {
  ids: ['P18'],
  title: 'the first comparison against the connects before it',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const records = quick ? 20_000 : 100_000;
  const counts = countsFor(records);
  const database = await databases.create('bench_p18');
  const portfolio = { counts, linked: LINKED, disagreeing: true };
  const service = await startSimulatedService(database.url, portfolio, { folder, name: 'p18-service' });
  let objects = 0;
  const round = async (): Promise<{ readonly connects: number; readonly comparison: number }> => {
    await database.settle();
    const customer = await makeCustomer(database);
    let connects = 0;
    for (const platform of ['platform_a', 'platform_b'] as const) {
      connects += await connectPlatform(service, customer, platform, totalOf(counts));
    }
    const begun = performance.now();
    const client = new BenchClient(service.url, customer.key);
    await client.ask('/reconciliation');
    objects = await untilMarked(database, customer.id);
    return { connects, comparison: (performance.now() - begun) / 1_000 };
  };
  try {
    progress.say(`connecting 2 × ${records} records, and comparing them`);
    await round();
    const repetitions: Repetition[] = [];
    while (repetitions.length < (quick ? 1 : 3)) {
      const { connects, comparison } = await round();
      const ratio = comparison / connects;
      progress.say(`connects ${short(connects)} s, comparison ${short(comparison)} s: ${short(ratio)}`);
      repetitions.push({ floorBefore: connects, ours: comparison, floorAfter: connects, ratio });
    }
    return [
      {
        name: 'P18',
        ours: `all objects of 2 × ${records} records compared`,
        floor: 'the connects of both platforms',
        unit: 's',
        comparison: 'multiple',
        mark: { atMost: 0.3 },
        repetitions,
        voided: 0,
        unsteady: false,
        notes: [`${objects} objects`],
      },
    ];
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** Waits until the comparison of the customer's objects has ended. @returns how many objects were compared */
function untilMarked(database: Database, customerId: string): Promise<number> {
  return database.use(async (client) => {
    const marked = 'select 1 from comparison_marks where customer_id = $1';
    while ((await client.query(marked, [customerId])).rowCount === 0) await sleep(LOOK_MS);
    const { rows } = await client.query<{ objects: number }>(
      'select count(distinct object_id)::int as objects from comparisons where customer_id = $1',
      [customerId],
    );
    return rows[0]?.objects ?? 0;
  });
}
