// A service under mixed load at 60 % of its capacity: its memory does not grow, its event loop is not late, and what is kept for a time goes.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { memoryOf } from '../../bench/harness/cpu';
import { load, wireOf, type Call, type Loaded } from '../../bench/harness/load';
import { slopeOf } from '../../bench/harness/statistics';
import { campaign } from '../support/campaign/campaign';
import type { Portfolio } from '../support/customers/portfolio';
import { servicesToKill } from '../support/processes/services-to-kill';

/** The load as a share of the capacity of the service. */
const SHARE = 0.6;
/** The number of customers that create the load. */
const CUSTOMERS = 5;
/** The number of connections of the load. Without pauses they saturate the service. */
const CONNECTIONS = 20;
/** Seconds for which the capacity is measured. */
const MEASURED = 5;

/**
 * Milliseconds for which history is kept, and the permitted delay of its deletion: retention runs every tenth of that
 * time.
 */
const HISTORY_MS = 20_000;
const LATE_MS = 10_000;

/** Milliseconds between two samples of memory. */
const LOOK_MS = 1_000;
/** Milliseconds over which the percentiles of the event loop are taken: the interval at which Prometheus reads them by default. */
const WINDOW_MS = 60_000;
/** Milliseconds between two samples of the event loop, which Node counts as part of its lateness. */
const SAMPLED_MS = 10;
/** The share of the time after which the service counts as warm. */
const WARM = 0.3;

/**
 * Runs of this length must keep the promises. A shorter run only shows its figures, because one step of the heap is a
 * steep slope within a minute.
 */
const LONG_MINUTES = 60;
const MOST_GROWTH_MB = 1;
const MOST_LATE_MS = 20;

/** Payments that both platforms have. */
const PAYMENTS = ['1823456', '1823502', '1823517', '1823588'];

/**
 * The number of rows of one customer by which a table may differ once everything past its retention time is deleted.
 */
const MOST_ROWS = 20;

campaign('soak', (campaign) => {
  const services = servicesToKill();

  /** A request whose kind follows from its number. */
  function mixOf(customers: readonly Portfolio[]): (index: number) => Call {
    const data = { id: 341276, name: 'Lusail Boulevard Tower', project_number: 'P-7' };
    const translated = JSON.stringify({
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'project',
      data,
    });
    const get = (path: string) => (key: string) => ({ wire: wireOf('GET', `/api/v1${path}`, { key }) });
    const change = (key: string, index: number): Call => {
      const platform_id = PAYMENTS[index % PAYMENTS.length];
      const body = { format: 'platform', platform: 'platform_a', entity_type: 'payment', platform_id };
      const text = JSON.stringify({ ...body, data: { notes: `change ${index}` } });
      return { wire: wireOf('POST', '/api/v1/propagate', { key, body: text }) };
    };
    const kinds: readonly ((key: string, index: number) => Call)[] = [
      (key) => ({ wire: wireOf('POST', '/api/v1/transform', { key, body: translated }) }),
      get('/objects?platform=platform_a&entity_type=invoice'),
      get('/reconciliation?currency=USD'),
      change,
      get('/reconciliation/cases?limit=20'),
      get('/events?limit=20'),
      get('/propagations?limit=20'),
    ];
    return (index) => {
      const { key = '' } = customers[index % customers.length] ?? {};
      const kind = kinds[Math.floor(index / customers.length) % kinds.length];
      if (kind === undefined) throw new Error('There is no such kind');
      return kind(key, index);
    };
  }

  campaign.part('keeps its memory, its event loop and its tables in bounds', async (time) => {
    const service = await services.start({
      logLevel: 'info',
      env: { METRICS_PORT: '0', HISTORY_TTL: `${HISTORY_MS / 1_000}s` },
    });
    const customers: Portfolio[] = [];
    for (let count = 0; count < CUSTOMERS; count += 1) customers.push(await services.open(service));
    const next = mixOf(customers);
    const options = { url: service.url, connections: CONNECTIONS, tolerant: true } as const;
    let asked = 0;
    const ask = (): Call => next((asked += 1));
    for (const { client } of customers) await untilCompared(client);
    const before = await rowsAtRest();

    const most = await load({ ...options, seconds: MEASURED, next: ask });
    // Each connection pauses between two requests so that all together reach the intended rate.
    const pauseMs = CONNECTIONS / ((SHARE * most.rate) / 1_000);
    campaign.count('answers a second at most', most.rate);

    const looks: { readonly at: number; readonly bytes: number }[] = [];
    const late: number[] = [];
    const metrics = metricsOf(service.output);
    await latenessOf(metrics);
    const begun = performance.now();
    let windowAt = begun;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        await sleep(LOOK_MS);
        const bytes = memoryOf(service.pid);
        const at = performance.now() - begun;
        if (bytes !== undefined) looks.push({ at, bytes });
        if (performance.now() - windowAt < WINDOW_MS && !isOver) continue;
        windowAt = performance.now();
        late.push(await latenessOf(metrics));
      }
    })();
    const rounds: Loaded[] = [];
    do rounds.push(await load({ ...options, seconds: 10, next: ask, pauseMs }));
    while (time.left());
    isOver = true;
    await watching;

    const statuses = rounds.flatMap((round) => round.statuses);
    const refused = statuses.filter((status) => status !== 200);
    campaign.count('answers', statuses.length);
    campaign.count('answers 409 or 502', refused.length);
    expect(refused.filter((status) => status !== 409 && status !== 502)).toEqual([]);

    const warm = looks.filter(({ at }) => at > WARM * (performance.now() - begun));
    const growth = slopeOf(warm.map(({ at, bytes }) => [at / 3_600_000, bytes / 1_000_000]));
    const lateness = Math.max(...late.slice(Math.floor(late.length * WARM)));
    campaign.count('MB at the end', (warm.at(-1)?.bytes ?? NaN) / 1_000_000);
    campaign.count('MB an hour', growth);
    campaign.count('ms that the event loop is late in the worst minute, 99 %', lateness);
    if (campaign.minutes >= LONG_MINUTES) {
      expect(growth).toBeLessThanOrEqual(MOST_GROWTH_MB);
      expect(lateness).toBeLessThanOrEqual(MOST_LATE_MS);
    }
    await sleep(HISTORY_MS + LATE_MS);
    const after = await rowsAtRest();
    const grown = [...after].filter(
      ([table, rows]) => rows > (before.get(table) ?? 0) + MOST_ROWS * CUSTOMERS,
    );
    expect(grown).toEqual([]);
    campaign.count('tables', after.size);
  });

  /** Waits for the first comparison of a customer's objects, which is made in the background. */
  async function untilCompared(client: Portfolio['client']): Promise<void> {
    for (let looksLeft = 60; looksLeft > 0; looksLeft -= 1) {
      const { body } = await client.get('/reconciliation?currency=USD');
      if (body.data.complete === true) return;
      await sleep(LOOK_MS);
    }
    throw new Error('The comparisons are never complete');
  }

  /** The number of rows of each table once no background work is in progress. */
  async function rowsAtRest(): Promise<ReadonlyMap<string, number>> {
    let before = await countRows();
    for (let looksLeft = 60; looksLeft > 0; looksLeft -= 1) {
      await sleep(LOOK_MS);
      const now = await countRows();
      if (isDeepStrictEqual(before, now)) return now;
      before = now;
    }
    throw new Error('The tables never come to rest');
  }

  async function countRows(): Promise<ReadonlyMap<string, number>> {
    const { rows: tables } = await services.client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const counts = new Map<string, number>();
    for (const { name } of tables) {
      const { rows } = await services.client.query<{ count: number }>(
        `select count(*)::int as count from ${name}`,
      );
      counts.set(name, rows[0]?.count ?? 0);
    }
    return counts;
  }
});

/** The address of the metrics that a service logs. */
function metricsOf(output: readonly string[]): string {
  for (const line of output) {
    const [url] = /http:[^"]+\/metrics/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The service serves no metrics');
}

/** The 99th percentile of the lateness of the event loop since the last call, in milliseconds. */
async function latenessOf(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text) ?? [];
  return Number(seconds) * 1_000 - SAMPLED_MS;
}
