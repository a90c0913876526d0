import type { Client } from 'pg';
import type { Database } from '../harness/databases';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { repeat } from '../harness/repeat';
import { quantile } from '../harness/statistics';
import { countsFor } from '../portfolio/counts';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { recordsIn } from '../service/population';
import { startService } from '../service/service';
import { BenchClient } from '../statement/client';
import { untilCompared } from '../statement/steps';

/** Elements of a page, and pages that are read one after the other. */
const PAGE = 50;
const PAGES = 40;

/** Days up to which documents count in the statements that are signed. */
const DAYS = ['2026-06-30', '2026-05-31', '2026-04-30', '2026-03-31', '2026-02-28', '2026-01-31'];

/** Cases whose differences are accepted, the oldest; and payments that change, the last in their list. */
const ACCEPTED = 20_000;
const CHANGED = 6_000;
/** Cases that are accepted in one request. */
const AT_ONCE = 500;

interface List {
  readonly name: string;
  readonly path: string;
  /** The floor: a query of the rows of the page, or a count of those that it counts. `$1` is the customer. */
  readonly floor: string;
}

const rowsOf = (rows: string): string => `select payload::text from ${rows} limit ${PAGE}`;

const payments = `platform_records where customer_id = $1 and platform = 'platform_a' and entity_type = 'payment'`;
const cases = 'comparison_cases where customer_id = $1 and listed_before is null';
// As indexes have them in the orders of lists.
const openCases = `${cases} and not is_accepted`;
const lists: readonly List[] = [
  { name: 'by ID', path: '', floor: rowsOf(`${payments} order by native_order`) },
  {
    name: 'by number',
    path: '&sort=number',
    floor: rowsOf(`${payments} order by business_key, platform_id`),
  },
  {
    name: 'by amount',
    path: '&sort=-amount',
    floor: rowsOf(`${payments} order by coalesce(amount_order, '') desc, platform_id desc`),
  },
  { name: 'a search that all meet', path: '&q=chk', floor: rowsOf(`${payments} order by native_order`) },
].map((list) => ({
  ...list,
  path: `/objects?platform=platform_a&entity_type=payment&limit=${PAGE}${list.path}`,
}));

/**
 * P12: the median time of a page of a list, one after the other, against a query of the stored rows of the page on a connection
 * of its own; of the first page of cases, which counts the whole list, against `select count(*)`. Unit: milliseconds.
 */
export const pagesOfLists: Figure = {
  ids: ['P12'],
  title: 'a page of a list against a query of its rows',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const { quick, progress } = bench;
  const records = quick ? 10_000 : 250_000;
  progress.say(`connecting 2 × ${records} records`);
  const database = await bench.databases.create('bench_p12');
  const service = await startService(database.url, { folder: bench.folder, name: 'p12' });
  try {
    const customer = await makeCustomer(database, 'Lists');
    const counts = countsFor(records);
    await fillSandboxes(database, customer.id, { counts, linked: 0.82, disagreeing: true });
    for (const platform of ['platform_a', 'platform_b'] as const) {
      await connectPlatform(service, customer, platform, recordsIn(platform, counts));
    }
    const client = new BenchClient(service.url, customer.key);
    await untilCompared(client);
    await database.settle();
    const { next_cursor: cursor } = await client.json<{ readonly next_cursor: string }>(
      `/reconciliation/cases?limit=${PAGE}`,
    );
    const all: readonly List[] = [
      ...lists,
      {
        name: 'cases',
        path: `/reconciliation/cases?limit=${PAGE}&cursor=${cursor}`,
        floor: rowsOf(`(select detail as payload, opened_at, id from ${openCases}) k order by opened_at, id`),
      },
      {
        name: 'first page of cases, with facets',
        path: `/reconciliation/cases?limit=${PAGE}`,
        floor: `select count(*) from ${cases}`,
      },
      {
        name: 'first page of cases in a currency that none has',
        path: `/reconciliation/cases?limit=${PAGE}&currency=JPY`,
        floor: `select count(*) from ${cases} and (left_currency = 'JPY' or right_currency = 'JPY')`,
      },
      {
        name: 'first page of cases of documents up to a day, without facets',
        path: `/reconciliation/cases?limit=${PAGE}&facets=false&through=${DAYS[0]}`,
        floor: rowsOf(`(select detail as payload, opened_at, id from ${openCases}) k order by opened_at, id`),
      },
      {
        name: `${DAYS.length} sign-offs of as many scopes`,
        path: `/reconciliation/signoffs?limit=${PAGE}`,
        floor: 'select figures from statement_signoffs where customer_id = $1 order by signed_at desc',
      },
    ];
    const rows: Measurement[] = [];
    const measureEach = async (measured: readonly List[]): Promise<void> => {
      for (const { name, path, floor } of measured) {
        const paired = await repeat(bench, progress.named(`P12 ${name}`), 'multiple', {
          floor: () => medianOfQueries(database, floor, customer.id),
          ours: () => median(() => client.ask(path)),
        });
        rows.push({
          name: `P12 ${name}`,
          ours: `a page of ${PAGE}, 2 × ${records} records`,
          floor: 'a query of its rows, or a count of what it counts',
          unit: 'ms',
          comparison: 'multiple',
          ...paired,
        });
      }
    };
    progress.say(`signing ${DAYS.length} statements`);
    for (const day of DAYS) await sign(client, day);
    await measureEach(all);
    const [accepted, changed] = quick ? [AT_ONCE, AT_ONCE] : [ACCEPTED, CHANGED];
    progress.say(`accepting ${accepted} differences`);
    for (let count = 0; count < accepted; count += AT_ONCE) await acceptOldest(client);
    await measureEach([
      {
        name: `open cases behind ${accepted} accepted ones`,
        path: `/reconciliation/cases?limit=${PAGE}`,
        floor: rowsOf(`(select detail as payload, opened_at, id from ${openCases}) k order by opened_at, id`),
      },
      {
        name: 'cases by type and due day',
        path: `/reconciliation/cases?limit=${PAGE}&facets=false&sort=type&age_by=due`,
        floor: rowsOf(
          `(select detail as payload, entity_type, due_since, id from ${openCases}) k order by entity_type, due_since, id`,
        ),
      },
    ]);
    progress.say(`changing ${changed} payments`);
    const since = new Date().toISOString();
    await changePayments(database, customer.id, changed);
    await connectPlatform(service, customer, 'platform_a', recordsIn('platform_a', counts));
    await untilCompared(client);
    await measureEach([
      {
        name: 'objects changed since a time, among those that did not',
        path: `/objects?platform=platform_a&entity_type=payment&limit=${PAGE}&modified_after=${since}`,
        floor: rowsOf(`${payments} order by native_order`),
      },
    ]);
    return rows;
  } finally {
    await service.stop();
    await database.drop();
  }
}

async function sign(client: BenchClient, through: string): Promise<void> {
  const { data } = await client.json<{
    readonly data: { readonly as_of: string; readonly digest: string; readonly currency: string };
  }>(`/reconciliation?through=${through}`);
  const { as_of, digest, currency } = data;
  await client.ask('/reconciliation/signoffs', {
    method: 'POST',
    body: { as_of, through, digest, currency, role: 'prepared', signed_by: 'Ada' },
  });
}

async function acceptOldest(client: BenchClient): Promise<void> {
  const { data } = await client.json<{ readonly data: readonly { readonly id: string }[] }>(
    `/reconciliation/cases?limit=${AT_ONCE}&facets=false`,
  );
  await client.ask('/reconciliation/cases', {
    method: 'PATCH',
    body: { ids: data.map(({ id }) => id), accepted: { reason: 'Known', decided_by: 'Ada' } },
  });
}

/** Changes the notes of payments in the sandbox of platform_a. */
function changePayments(database: Database, customerId: string, count: number): Promise<unknown> {
  return database.use((client: Client) =>
    client.query(
      `update sandbox_records set payload = (payload::jsonb || '{"notes": "Changed"}')::json
       where customer_id = $1 and platform = 'platform_a' and entity_type = 'payment' and platform_id in (
         select platform_id from sandbox_records
         where customer_id = $1 and platform = 'platform_a' and entity_type = 'payment'
         order by length(platform_id) desc, platform_id desc limit $2)`,
      [customerId, count],
    ),
  );
}

function medianOfQueries(database: Database, text: string, customerId: string): Promise<number> {
  return database.use((client: Client) =>
    median(() => client.query({ name: 'floor', text, values: [customerId] })),
  );
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return quantile(times, 0.5);
}
