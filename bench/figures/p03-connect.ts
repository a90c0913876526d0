import { DatabaseError, type Client } from 'pg';
import { rowsOf } from '../floors/copies';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement, Repetition } from '../harness/figure';
import { short } from '../harness/paired';
import { repeat } from '../harness/repeat';
import { countsFor, totalOf } from '../portfolio/counts';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { startSimulatedService } from '../service/simulated-service';

/**
 * P3: connecting 100,000 records of platform_a and then 100,000 of platform_b, half of which are the same things, until
 * they are visible and reconciled, against COPY of the rows that come of it into equal tables of the same server. Unit:
 * seconds for both platforms. The records are made in the service's process while they are read: one in a hundred has
 * 20 KB, one in five thousand 190 KB, the others about a kilobyte; 5 % have a key that others have too; one vendor has
 * half of all documents.
 *
 * P3r: the same connects again, with nothing changed. Its floor is the first connect.
 */
export const connect: Figure = {
  ids: ['P3', 'P3r'],
  title: 'connecting 2 × 100,000 records against COPY of the same rows',
  run: measure,
};

const platforms = ['platform_a', 'platform_b'] as const;

/** Deadlocks with background work that are tried again. */
const MOST_ATTEMPTS = 5;

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { databases, folder, quick, progress } = bench;
  const records = quick ? 10_000 : 100_000;
  const counts = countsFor(records);
  const database = await databases.create('bench_p3');
  const service = await startSimulatedService(database.url, { counts }, { folder, name: 'p3-service' });
  const connectBoth = async (): Promise<{
    customerId: string;
    first: number;
    again: number;
    each: number[];
  }> => {
    await database.settle();
    const customer = await makeCustomer(database);
    const each: number[] = [];
    for (const platform of platforms) {
      each.push(await connectPlatform(service, customer, platform, totalOf(counts)));
    }
    let again = 0;
    for (const platform of platforms) {
      again += await connectPlatform(service, customer, platform, totalOf(counts));
    }
    return { customerId: customer.id, first: each.reduce((sum, seconds) => sum + seconds, 0), again, each };
  };
  try {
    progress.say('the first connects, for the rows to copy');
    const warmUp = await connectBoth();
    const linked = await checkLinks(database, warmUp.customerId, records);
    const rows = await rowsOf(database, warmUp.customerId, folder);
    await rows.copyIn(database);
    await removeRecords(database);

    const agains: Repetition[] = [];
    const seconds: number[][] = [];
    const paired = await repeat(
      bench,
      progress,
      'time',
      {
        floor: () => rows.copyIn(database),
        ours: async () => {
          const { first, again, each } = await connectBoth();
          await removeRecords(database);
          agains.push({ floorBefore: first, ours: again, floorAfter: first, ratio: again / first });
          seconds.push(each);
          return first;
        },
      },
      { warmUps: 0 },
    );
    const accepted = paired.repetitions.flatMap(
      ({ ours }) => agains.find(({ floorAfter }) => floorAfter === ours) ?? [],
    );
    return [
      {
        name: 'P3',
        ours: `connect of 2 × ${records} records`,
        floor: 'COPY of the same rows into equal tables and indexes',
        unit: 's',
        comparison: 'time',
        mark: { atLeast: 0.6 },
        ...paired,
        notes: [
          `${linked} objects are on both platforms`,
          ...platforms.map((platform, place) => {
            const times = seconds.map((each) => short(each[place] ?? NaN)).join(', ');
            return `${platform}: ${times} s`;
          }),
        ],
      },
      {
        name: 'P3r',
        ours: 'the same again, nothing changed',
        floor: 'the first connect',
        unit: 's',
        comparison: 'multiple',
        mark: { atMost: 0.3 },
        repetitions: accepted,
        voided: paired.voided,
        unsteady: paired.unsteady,
      },
    ];
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** Half of the records have their keys on both platforms; those whose key several records have may stay apart. */
async function checkLinks(database: Database, customerId: string, records: number): Promise<number> {
  const { rows } = await database.use((client) =>
    client.query<{ linked: number }>(
      `select count(*)::int as linked from (
         select 1 from platform_records where customer_id = $1 group by canonical_id having count(*) = 2
       ) pairs`,
      [customerId],
    ),
  );
  const linked = rows[0]?.linked ?? 0;
  if (linked < records * 0.45) throw new Error(`Of ${records} records, ${linked} are linked`);
  return linked;
}

/** Removes all customers, so that each repetition finds the tables as the first one did. */
async function removeRecords(database: Database): Promise<void> {
  await database.use(async (client) => {
    await truncateCustomers(client);
    await client.query('delete from api_keys');
    await client.query(
      `do $$ declare name text; begin
         for name in select relname from pg_class where relname like 'staged_%' and relkind = 'r' loop
           execute 'truncate ' || name;
         end loop;
       end $$`,
    );
  });
}

/** Background work of the service locks the same tables, in another order. */
async function truncateCustomers(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('truncate customers cascade');
      return;
    } catch (error) {
      const isDeadlock = error instanceof DatabaseError && error.code === '40P01';
      if (!isDeadlock || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
