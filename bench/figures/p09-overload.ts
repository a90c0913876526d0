import type { Bench, Figure, Measurement } from '../harness/figure';
import { load, wireOf, type Call } from '../harness/load';
import { repeat } from '../harness/repeat';
import { findSaturation, goodput } from '../harness/saturation';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { makeCustomer } from '../service/customer';
import { connectPlatform } from '../service/connect';
import { SAMPLES } from '../service/population';
import { startService } from '../service/service';

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
