import { CpuPerResponse } from '../harness/cpu';
import type { Bench, Figure, Mark, Measurement } from '../harness/figure';
import { load, wireOf, type Call } from '../harness/load';
import { repeat } from '../harness/repeat';
import { invoice } from '../portfolio/invoice-of-three-kilobytes';
import { startCollector } from '../service/collector';
import { makeCustomer } from '../service/customer';
import { startService } from '../service/service';

const CONNECTIONS = 16;

/** Shares of traces that are recorded. Operators are told to record 1 %; all of them only inform. */
const shares: readonly { readonly name: string; readonly ratio: string; readonly mark?: Mark }[] = [
  { name: 'P16 1 %', ratio: '0.01', mark: { atMost: 1.03 } },
  { name: 'P16 100 %', ratio: '1' },
];

/**
 * P16: the service that records spans and sends them to a collector, against itself without, on the request that does
 * least besides. Unit: milliseconds of CPU that the process takes for an answer, because both cores are shared with the
 * generator of the load.
 */
export const spans: Figure = {
  ids: ['P16'],
  title: 'recording spans, against the service without',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const database = await databases.create('bench_p16');
  const collector = await startCollector();
  const customer = await makeCustomer(database);
  const body = JSON.stringify({
    source: 'platform_b',
    target: 'platform_a',
    entity_type: 'invoice',
    data: invoice,
  });
  const call: Call = { wire: wireOf('POST', '/api/v1/transform', { key: customer.key, body }) };
  const cpu =
    ({ url, pid }: { readonly url: string; readonly pid: number }) =>
    async (): Promise<number> => {
      const counted = new CpuPerResponse(pid);
      const options = { url, connections: CONNECTIONS, seconds: quick ? 1 : 2, next: () => call };
      await counted.during(() => load(options));
      if (counted.milliseconds === undefined)
        throw new Error('This system does not tell the CPU of a process');
      return counted.milliseconds;
    };
  const service = await startService(database.url, { folder, name: 'p16-service' });
  try {
    const rows: Measurement[] = [];
    for (const { name, ratio, mark } of shares) {
      const recording = await startService(database.url, {
        folder,
        name: `p16-${ratio}`,
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
          OTEL_TRACES_SAMPLER_ARG: ratio,
        },
      });
      const before = collector.requests();
      try {
        const sides = { floor: cpu(service), ours: cpu(recording) };
        const paired = await repeat(bench, progress.named(name), 'multiple', sides, {
          warmUps: 3,
          repetitions: 11,
        });
        rows.push({
          name,
          ours: `POST /transform, 3 KB, ${CONNECTIONS} connections`,
          floor: 'the same without spans',
          unit: 'ms of CPU',
          comparison: 'multiple',
          ...(mark && { mark }),
          ...paired,
          notes: [`the collector took ${collector.requests() - before} requests with spans`],
        });
      } finally {
        await recording.stop();
      }
    }
    return rows;
  } finally {
    await service.stop();
    await collector.close();
    await database.drop();
  }
}
