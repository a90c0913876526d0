import { availableParallelism } from 'node:os';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { load, wireOf, type Call } from '../harness/load';
import { repeat } from '../harness/repeat';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { linkedPayments } from '../portfolio/linked-payments';
import { propagateCall } from '../service/propagate-call';
import { populate } from '../service/population';
import { startService } from '../service/service';

const CONNECTIONS = 32;
/** Two instances, the database and the generator want a core each. */
const CORES = 4;

/**
 * P10: two instances on one database against one of them, with as many connections in all. Unit: answers per second.
 * Where there are fewer than four cores, the instances share them with each other, with the database and with the
 * generator: the ratio is shown and has no verdict.
 */
export const instances: Figure = {
  ids: ['P10'],
  title: 'two instances on one database against one',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p10');
  const first = await startService(database.url, { folder, name: 'p10-first' });
  const second = await startService(database.url, { folder, name: 'p10-second' });
  try {
    const size = quick ? 2_000 : 5_000;
    const [customer] = await populate(first, database, [size]);
    if (customer === undefined) throw new Error('There is no customer');
    await database.settle();
    const ids = linkedPayments(size);
    const body = JSON.stringify({
      source: 'platform_b',
      target: 'platform_a',
      entity_type: 'invoice',
      data: invoice,
    });
    const transform: Call = { wire: wireOf('POST', '/api/v1/transform', { key: customer.key, body }) };
    let changes = 0;
    const kinds: readonly { readonly name: string; readonly next: () => Call }[] = [
      { name: 'P10 transform', next: () => transform },
      {
        name: 'P10 propagate',
        next: () => {
          changes += 1;
          return propagateCall(customer, ids[changes % ids.length] ?? 0, changes);
        },
      },
    ];
    const seconds = quick ? 1 : 2;
    const rows: Measurement[] = [];
    for (const { name, next } of kinds) {
      const rate = async (urls: readonly string[]): Promise<number> => {
        const connections = CONNECTIONS / urls.length;
        const loads = await Promise.all(urls.map((url) => load({ url, connections, seconds, next })));
        return loads.reduce((sum, loaded) => sum + loaded.rate, 0);
      };
      const paired = await repeat(bench, progress.named(name), 'rate', {
        floor: () => rate([first.url]),
        ours: () => rate([first.url, second.url]),
      });
      rows.push({
        name,
        ours: 'two instances on one database',
        floor: 'one instance',
        unit: 'answers/s',
        comparison: 'rate',
        mark: { atLeast: 1.7 },
        ...paired,
        ...(availableParallelism() < CORES && { withoutVerdict: 'cores do not allow' }),
      });
    }
    return rows;
  } finally {
    await first.stop();
    await second.stop();
    await database.drop();
  }
}
