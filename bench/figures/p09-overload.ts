import type { Bench, Figure, Measurement } from '../harness/figure';
import { load, wireOf, type Call, type Loaded } from '../harness/load';
import { repeat } from '../harness/repeat';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { makeCustomer } from '../service/customer';
import { connectPlatform } from '../service/connect';
import { SAMPLES } from '../service/population';
import { startService } from '../service/service';

/** Later answers do not count. */
const DEADLINE_MS = 1_000;
/** Numbers of connections of which one saturates the service. */
const STEPS = [4, 8, 16, 32, 64];
/** More connections than that must bring so much more, or they count as too many. */
const WORTH = 1.05;

/**
 * P9: answers with 200 within a second, at ten times the connections that saturate the service, against the same at the
 * number of connections that saturates it. Unit: good answers per second. A client that is refused asks again at once,
 * as the worst of clients do. Two requests: one that needs the processor alone, and one that needs the database.
 */
export const overload: Figure = {
  ids: ['P9'],
  title: 'goodput at ten times the load that saturates',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p9');
  const service = await startService(database.url, { folder, name: 'p9-service' });
  try {
    const customer = await makeCustomer(database);
    await connectPlatform(service, customer, 'platform_a', SAMPLES.platform_a);
    const { key } = customer;
    const body = JSON.stringify({
      source: 'platform_b',
      target: 'platform_a',
      entity_type: 'invoice',
      data: invoice,
    });
    const calls: readonly { readonly name: string; readonly call: Call }[] = [
      { name: 'P9 transform', call: { wire: wireOf('POST', '/api/v1/transform', { key, body }) } },
      {
        name: 'P9 listing',
        call: { wire: wireOf('GET', '/api/v1/objects?platform=platform_a&entity_type=contract', { key }) },
      },
    ];
    const seconds = quick ? 1.5 : 3;
    const rows: Measurement[] = [];
    for (const { name, call } of calls) {
      const statuses = new Map<number, number>();
      const at = (connections: number) =>
        load({ url: service.url, connections, seconds, next: () => call, tolerant: true });
      const saturating = await findSaturation(async (connections) => goodput(await at(connections), seconds));
      progress.say(`${name}: ${saturating} connections saturate`);
      const paired = await repeat(bench, progress.named(name), 'rate', {
        floor: async () => goodput(await at(saturating), seconds),
        ours: async () => {
          const loaded = await at(10 * saturating);
          for (const status of loaded.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
          return goodput(loaded, seconds);
        },
      });
      const seen = [...statuses].map(([status, count]) => `${count} × ${status === 0 ? 'cut off' : status}`);
      rows.push({
        name,
        ours: `good answers with ${10 * saturating} connections`,
        floor: `good answers with ${saturating} connections, which saturate`,
        unit: 'answers/s',
        comparison: 'rate',
        mark: { atLeast: 0.9 },
        ...paired,
        notes: [`at ten times the load: ${seen.join(', ')}`],
      });
    }
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** Answers a second that are right and in time, while the load lasted. */
function goodput({ latencies, statuses, ends }: Loaded, lasted: number): number {
  const good = latencies.filter(
    (latency, place) =>
      statuses[place] === 200 && latency <= DEADLINE_MS && (ends[place] ?? Infinity) <= lasted,
  );
  return good.length / lasted;
}

/** The least number of connections beyond which there is little to gain. */
async function findSaturation(goodputWith: (connections: number) => Promise<number>): Promise<number> {
  let best = { connections: 1, goodput: 0 };
  for (const connections of STEPS) {
    const reached = await goodputWith(connections);
    if (reached > best.goodput * WORTH) best = { connections, goodput: reached };
  }
  return best.connections;
}
