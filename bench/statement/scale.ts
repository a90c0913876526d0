import type { Database } from '../harness/databases';
import { machineText, machineWith } from '../harness/machine';
import { inWorkplace, nodeOptionsIn } from '../harness/workplace';
import { countsFor } from '../portfolio/counts';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { recordsIn } from '../service/population';
import { startService } from '../service/service';
import { BenchClient } from './client';
import { Report } from './report';
import {
  measureAllOfPast,
  measureChange,
  measureDecisions,
  measurePast,
  measureReads,
  measureTenthOfPast,
  untilCompared,
  untilComplete,
  type MeasuringContext,
} from './steps';

const USAGE = `node -r ./scripts/register-typescript.cjs bench/statement/scale.ts [options]

  What the statement, its cases and its files take for one customer, with the peak memory of the built service by then.
  Nine objects in ten have a record on both platforms. Build before: npx nest build

  --size N    records of both platforms together, about (500000)
  --node=…    an option for the service's process, such as --node=--cpu-prof
  --keep      leaves the logs, and prints where they are
  --help      this text
`;

/** Share of the records that both platforms have. */
const LINKED = 0.9;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const place = args.indexOf('--size');
  const size = Number(place < 0 ? 500_000 : args[place + 1]);
  return inWorkplace(
    { name: 'translation-statement', keep: args.includes('--keep') },
    async ({ databases, folder }) => {
      process.stdout.write(`${machineText(machineWith(databases.version, new Date()))}\n`);
      await measure(await databases.create('bench_statement'), size, folder, nodeOptionsIn(args));
      return 0;
    },
  );
}

async function measure(
  database: Database,
  size: number,
  folder: string,
  nodeOptions: readonly string[],
): Promise<void> {
  const service = await startService(database.url, { folder, nodeOptions, env: { SYNC_INTERVAL: '0' } });
  const report = new Report(service);
  const counts = countsFor(Math.round(size / 2));
  const customer = await makeCustomer(database, `Customer with ${size} records`);
  await fillSandboxes(database, customer.id, { counts, linked: LINKED, disagreeing: true });
  const client = new BenchClient(service.url, customer.key);
  let between = '';
  for (const platform of ['platform_a', 'platform_b'] as const) {
    if (platform === 'platform_b') {
      await untilCompared(client);
      between = new Date().toISOString();
    }
    const seconds = await connectPlatform(service, customer, platform, recordsIn(platform, counts));
    report.seconds(`connect of ${platform}`, seconds * 1_000);
  }
  const context: MeasuringContext = { service, client, report };
  const first = await untilComplete(context);
  report.seconds('until the statement is complete', first.waited, `${await objectsOf(database)} objects`);
  await measureReads(context);
  await measureChange(
    context,
    () =>
      client.ask('/propagate', {
        method: 'POST',
        body: {
          format: 'platform',
          platform: 'platform_a',
          platform_id: String(Math.round(counts.payment / 2) + 1),
          entity_type: 'payment',
          data: { notes: 'Changed by the bench' },
        },
      }),
    'POST /propagate',
  );
  await measureDecisions(context);
  const { statement } = first;
  await measurePast(context, statement.as_of, statement.digest);
  await measureTenthOfPast(
    context,
    async () => {
      await changePayments(database, customer.id);
      await connectPlatform(service, customer, 'platform_a', recordsIn('platform_a', counts));
    },
    () => keptIn(database),
  );
  await measureAllOfPast(context, between);
  await service.stop();
}

/** Changes a quarter of the payments of platform_a, a tenth of all objects. */
async function changePayments(database: Database, customerId: string): Promise<void> {
  await database.use((client) =>
    client.query(
      `update sandbox_records set payload = (payload::jsonb || '{"notes": "Changed meanwhile"}')::json
       where customer_id = $1 and platform = 'platform_a' and entity_type = 'payment' and platform_id::bigint % 4 = 0`,
      [customerId],
    ),
  );
}

/** What the kept comparisons take. */
async function keptIn(database: Database): Promise<string> {
  const { rows } = await database.use((client) =>
    client.query<{ text: string }>(
      `select string_agg(format('%s %s rows, %s MB', name, rows, round(bytes / 1e6, 1)), '; ') as text from (
         select 'comparisons' as name, (select count(*) from comparisons) as rows, pg_total_relation_size('comparisons') as bytes
         union all select 'their versions', (select count(*) from comparison_versions), pg_total_relation_size('comparison_versions')
         union all select 'cases', (select count(*) from comparison_cases), pg_total_relation_size('comparison_cases')
         union all select 'their versions', (select count(*) from case_versions), pg_total_relation_size('case_versions')
         union all select 'marks', (select count(*) from comparison_marks), pg_total_relation_size('comparison_marks')
       ) kept`,
    ),
  );
  return rows[0]?.text ?? '';
}

async function objectsOf(database: Database): Promise<number> {
  const { rows } = await database.use((client) =>
    client.query<{ count: number }>('select count(*)::int as count from canonical_objects'),
  );
  return rows[0]?.count ?? 0;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  },
);
