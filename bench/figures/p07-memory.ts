import { peakMemoryOf } from '../harness/cpu';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { countsFor, totalOf } from '../portfolio/counts';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { startSimulatedService } from '../service/simulated-service';

const MIB = 1024 ** 2;

/**
 * P7: the most memory that the service's process ever had resident, after connecting 1,000,000 records, against the
 * same after 100,000; each in a fresh process. Unit: MiB. Linux says it (VmHWM); elsewhere the figure cannot be
 * measured. One repetition, since each takes minutes.
 */
export const memory: Figure = {
  ids: ['P7'],
  title: 'peak memory of connecting 1,000,000 records against 100,000',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const few = quick ? 5_000 : 100_000;
  const many = 10 * few;
  const peakAfter = async (records: number): Promise<number> => {
    const database = await databases.create('bench_p7');
    const counts = countsFor(records);
    const service = await startSimulatedService(database.url, { counts }, { folder, name: 'p7-service' });
    try {
      const customer = await makeCustomer(database);
      const seconds = await connectPlatform(service, customer, 'platform_a', totalOf(counts));
      const peak = peakMemoryOf(service.pid);
      if (peak === undefined) throw new Error('This system does not say how much memory a process had');
      progress.say(`${records} records: ${short(peak / MIB)} MiB, ${short(seconds)} s`);
      return peak / MIB;
    } finally {
      await service.stop();
      await database.drop();
    }
  };
  const paired = await repeat(
    bench,
    progress,
    'multiple',
    { floor: () => peakAfter(few), ours: () => peakAfter(many) },
    { warmUps: 0, repetitions: 1 },
  );
  return [
    {
      name: 'P7',
      ours: `peak memory, connect of ${many} records`,
      floor: `of ${few} records`,
      unit: 'MiB',
      comparison: 'multiple',
      mark: { atMost: 1.15 },
      ...paired,
    },
  ];
}
