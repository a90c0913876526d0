import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../service/service';
import type { BenchClient } from './client';
import { spreadOf } from '../harness/statistics';
import { probedWhile, type Report } from './report';

const REPETITIONS = 7;
const LOOK_MS = 100;
/** Cases of a page, as many as one may have. */
const PAGE = 500;

interface Statement {
  readonly data: {
    readonly complete: boolean;
    readonly as_of: string;
    readonly digest: string;
    readonly reasons: readonly { readonly reason: string; readonly detail: string }[];
  };
}

interface CasePage {
  readonly data: readonly {
    readonly id: string;
    readonly canonical_id: string;
    readonly kind: string;
    readonly entity_type: string;
    readonly records: readonly { readonly platform: string; readonly platform_id: string }[];
  }[];
  readonly next_cursor: string | null;
  readonly facets: { readonly total: number };
}

interface Decided {
  readonly data: { readonly id: string };
}

/** The context that the steps share. */
export interface MeasuringContext {
  readonly service: Service;
  readonly client: BenchClient;
  readonly report: Report;
}

/** Asks for the statement until it says that it is complete. @returns milliseconds until then, and the statement */
export async function untilComplete({
  client,
}: MeasuringContext): Promise<{ readonly waited: number; readonly statement: Statement['data'] }> {
  const begun = performance.now();
  for (;;) {
    const { data } = await client.json<Statement>('/reconciliation');
    const other = data.reasons.find(({ reason }) => reason !== 'comparing');
    if (other !== undefined) throw new Error(`The statement cannot be complete: ${other.detail}`);
    if (data.complete) return { waited: performance.now() - begun, statement: data };
    await sleep(LOOK_MS);
  }
}

/** Asks for the statement until all records are compared, though a platform may be missing. */
export async function untilCompared(client: BenchClient): Promise<void> {
  for (;;) {
    const { data } = await client.json<Statement>('/reconciliation');
    if (data.reasons.every(({ reason }) => reason !== 'comparing')) return;
    await sleep(LOOK_MS);
  }
}

/** The statement and the lists of cases, as JSON and as files. */
export async function measureReads(context: MeasuringContext): Promise<void> {
  const { client, report } = context;
  report.repeated('GET /reconciliation', await repeated(client, '/reconciliation'));
  report.repeated(
    'the same of one type in EUR',
    await repeated(client, '/reconciliation?entity_type=payment&currency=EUR'),
  );
  for (const sort of ['age', 'amount', 'type']) {
    const path = `/reconciliation/cases?sort=${sort}`;
    report.repeated(`GET /reconciliation/cases, by ${sort}`, await repeated(client, path));
  }
  report.repeated(
    'the same, one kind of one type',
    await repeated(client, '/reconciliation/cases?kind=disagreement&entity_type=payment'),
  );
  const [pages, cases] = await walk(client);
  report.repeated(`all ${cases} cases in pages of ${PAGE}`, pages);
  report.repeated('the last ten of these pages', pages.slice(-10));
  const first = await client.json<CasePage>('/reconciliation/cases?limit=1');
  report.repeated(
    'GET /reconciliation/cases/{id}',
    await repeated(client, `/reconciliation/cases/${first.data[0]?.id ?? ''}`),
  );
  await measureFile(context, 'statement as CSV', '/reconciliation');
  await measureFile(context, 'all cases as CSV', '/reconciliation/cases');
}

async function measureFile(
  { client, service, report }: MeasuringContext,
  name: string,
  path: string,
): Promise<void> {
  const { result, slowest } = await probedWhile(service, () =>
    client.ask(path, { accept: 'text/csv', keep: false }),
  );
  const size = `${(result.bytes / 1_000_000).toFixed(1)} MB`;
  report.seconds(
    name,
    result.whole,
    `${size}, begins after ${result.first.toFixed(0)} ms, slowest probe ${slowest.toFixed(0)} ms`,
  );
}

/** Cases page by page. */
async function* pagesOf(
  client: BenchClient,
  filters: string,
): AsyncGenerator<CasePage & { readonly took: number }> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const behind: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await client.ask(`/reconciliation/cases?limit=${PAGE}${filters}${behind}`);
    const page = JSON.parse(answer.body) as CasePage; // As the API describes it.
    yield { ...page, took: answer.whole };
    cursor = page.next_cursor;
  }
}

/** All cases. */
async function walk(client: BenchClient): Promise<readonly [pages: readonly number[], cases: number]> {
  const pages: number[] = [];
  let cases = 0;
  for await (const { data, took } of pagesOf(client, '')) {
    pages.push(took);
    cases += data.length;
  }
  return [pages, cases];
}

/** One change, and how long it takes until the statement follows: with the statement, which is then asked for once more. */
export async function measureChange(
  context: MeasuringContext,
  change: () => Promise<unknown>,
  name: string,
): Promise<void> {
  const begun = performance.now();
  await change();
  const changed = performance.now() - begun;
  const { waited } = await untilComplete(context);
  const { waited: alone } = await untilComplete(context);
  context.report.seconds(
    `${name}, and complete again`,
    changed + waited,
    `the change ${changed.toFixed(0)} ms, the same statement once more ${alone.toFixed(0)} ms`,
  );
}

/** Decisions of people: two separate records are linked, and the link is withdrawn. */
export async function measureDecisions(context: MeasuringContext): Promise<void> {
  const { client } = context;
  const apart = async (platform: string) => {
    for await (const { data } of pagesOf(client, '&kind=only_on&entity_type=payment')) {
      const found = data.flatMap(({ records }) => records).find((one) => one.platform === platform);
      if (found !== undefined) return found;
    }
    throw new Error(`No payment stands on ${platform} alone`);
  };
  const both = [await apart('platform_a'), await apart('platform_b')];
  const about = { entity_type: 'payment', reason: 'measured', decided_by: 'the bench' };
  let id = '';
  await measureChange(
    context,
    async () => {
      const body = { ...about, decision: 'link', records: both };
      ({ id } = (await client.json<Decided>('/reconciliation/decisions', { method: 'POST', body })).data);
    },
    'POST decision: link',
  );
  const withdrawal = { reason: 'measured', decided_by: 'the bench' };
  await measureChange(
    context,
    () => client.ask(`/reconciliation/decisions/${id}`, { method: 'DELETE', body: withdrawal }),
    'DELETE decision',
  );
  const linked = await client.json<CasePage>(
    '/reconciliation/cases?kind=disagreement&entity_type=payment&limit=1',
  );
  const records = linked.data[0]?.records ?? [];
  await measureChange(
    context,
    async () => {
      const body = { ...about, decision: 'not_same', records };
      ({ id } = (await client.json<Decided>('/reconciliation/decisions', { method: 'POST', body })).data);
    },
    'POST decision: not_same',
  );
  await measureChange(
    context,
    () => client.ask(`/reconciliation/decisions/${id}`, { method: 'DELETE', body: withdrawal }),
    'DELETE decision',
  );
}

/** The statement as of an earlier time, and one object as of that time. */
export async function measurePast(context: MeasuringContext, time: string, digest: string): Promise<void> {
  const { client, service, report } = context;
  const at = encodeURIComponent(time);
  const [first] = (await client.json<CasePage>('/reconciliation/cases?limit=1')).data;
  report.repeated(
    'GET /objects/{canonical_id} with as_of',
    await repeated(client, `/objects/${first?.canonical_id ?? ''}?as_of=${at}`),
  );
  const { result, slowest } = await probedWhile(service, () => client.ask(`/reconciliation?as_of=${at}`));
  report.seconds('statement with as_of', result.whole, `slowest probe ${slowest.toFixed(0)} ms`);
  const { data } = JSON.parse(result.body) as Statement; // As the API describes it.
  if (data.digest !== digest) throw new Error('The statement as of the earlier time has changed');
}

/**
 * The statement as of a time since which a tenth of the objects has changed, and the list of its cases, each compared with the
 * present one.
 */
export async function measureTenthOfPast(
  context: MeasuringContext,
  change: () => Promise<unknown>,
  kept: () => Promise<string>,
): Promise<void> {
  const { client, report } = context;
  const { statement } = await untilComplete(context);
  const before = await kept();
  await change();
  const { waited } = await untilComplete(context);
  report.seconds(
    'a tenth of the objects changed, and complete again',
    waited,
    `${before}; then ${await kept()}`,
  );
  const at = `as_of=${encodeURIComponent(statement.as_of)}`;
  for (const path of ['/reconciliation', '/reconciliation/cases']) {
    const [now, then] = [await repeated(client, path), await repeated(client, `${path}?${at}`)];
    const ratio = spreadOf(then).median / spreadOf(now).median;
    report.repeated(`GET ${path}`, now);
    report.repeated(`the same before a tenth changed (${ratio.toFixed(1)} times as long)`, then);
  }
  const { data } = await client.json<Statement>(`/reconciliation?${at}`);
  if (data.digest !== statement.digest) throw new Error('The statement as of the earlier time has changed');
}

/** The statement as of a time since which everything was touched: before the second platform was connected. */
export async function measureAllOfPast(
  { client, service, report }: MeasuringContext,
  time: string,
): Promise<void> {
  const at = encodeURIComponent(time);
  for (const [name, more] of [
    ['one type', '&entity_type=contract'],
    ['everything', ''],
  ] as const) {
    const { result, slowest } = await probedWhile(service, () =>
      client.ask(`/reconciliation?as_of=${at}${more}`, { tolerant: true }),
    );
    const outcome = `${result.status}, slowest probe ${slowest.toFixed(0)} ms`;
    report.seconds(`the same when all was touched since, ${name}`, result.whole, outcome);
  }
}

async function repeated(client: BenchClient, path: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < REPETITIONS; round += 1) times.push((await client.ask(path)).whole);
  return times;
}
