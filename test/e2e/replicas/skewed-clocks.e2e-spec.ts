import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { api } from '../../support/app/api';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { portfolioOf } from '../../support/customers/portfolio';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';

jest.setTimeout(120_000);

const MINUTE = 60_000;

describe('two instances whose clocks are twenty minutes apart', () => {
  let database: TestDatabase;
  let client: Client;
  let behind: ServiceProcess;
  let ahead: ServiceProcess;
  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    const start = (skewMs: number) =>
      startServiceProcess(database.url, {
        skewMs,
        logLevel: 'info',
        env: { DEMO_SESSION_TTL: '5m', METRICS_PORT: '0' },
      });
    [behind, ahead] = await Promise.all([start(-10 * MINUTE), start(10 * MINUTE)]);
  });
  afterAll(async () => {
    await client.end();
    await Promise.all([behind.kill(), ahead.kill()]);
    await database.drop();
  });

  const linesOf = ({ output }: ServiceProcess): Record<string, unknown>[] =>
    output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const statuses = (key: string): Promise<number[]> =>
    Promise.all([behind, ahead].map(async ({ url }) => (await api(url, key).get('/connections')).status));
  const cli = async (...args: string[]): Promise<ReturnType<typeof JSON.parse>> => {
    let out = '';
    const output = outputTo(
      (text) => (out += text),
      () => undefined,
    );
    const code = await runCli(
      [...args, '--json'],
      { DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
      output,
    );
    expect(code).toBe(0);
    return JSON.parse(out);
  };

  it.each([
    ['behind', () => behind, -600],
    ['ahead', () => ahead, 600],
  ])('warn, and show by how much they are %s', async (_name, instance, seconds) => {
    // What a process has written may be read a moment later.
    const metricsOf = () => linesOf(instance()).find(({ msg }) => msg === 'Metrics are served');
    for (let attempts = 0; attempts < 100 && metricsOf() === undefined; attempts += 1) await sleep(50);
    const warnings = linesOf(instance()).filter(({ context }) => context === 'Clock');
    expect(warnings).toEqual([
      expect.objectContaining({ level: 'warn', aheadSeconds: expect.closeTo(seconds, -1) }),
    ]);
    const text = await (await fetch(String(metricsOf()?.url))).text();
    const shown = /^translation_clock_ahead_seconds (\S+)$/m.exec(text)?.[1];
    expect(Number(shown)).toBeCloseTo(seconds, -1);
  });

  it('say the same time', async () => {
    const times = await Promise.all(
      [behind, ahead].map(async ({ url }) =>
        Date.parse((await api(url).get('/health')).body.data.timestamp as string),
      ),
    );
    for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(MINUTE);
  });

  it.each([
    ['behind', () => behind],
    ['ahead', () => ahead],
  ])('end a session of the one that is %s when the database says so', async (_name, opener) => {
    const { body } = await api(opener().url).post('/demo/session');
    const key: string = body.data.api_key;
    expect(await statuses(key)).toEqual([200, 200]);
    await client.query(
      `update api_keys set expires_at = now() - interval '1 second' where customer_id = $1`,
      [body.data.customer_id],
    );
    // Keys are remembered for a second at most.
    for (let attempts = 0; attempts < 100 && (await statuses(key)).includes(200); attempts += 1)
      await sleep(50);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('let a key that was rotated go on for as long as was said', async () => {
    const { customer_id: customer } = await cli('customers', 'create', '--name', 'Acme');
    const { key_id: id, api_key: key } = await cli('keys', 'issue', '--customer', customer, '--mode', 'test');
    await cli('keys', 'rotate', '--key-id', id, '--overlap', '5m');
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it.each([
    ['behind', () => behind, () => ahead],
    ['ahead', () => ahead, () => behind],
  ])('replay an answer that the one that is %s has given', async (_name, first, second) => {
    const { body } = await api(first().url).post('/demo/session');
    const caller = { key: body.data.api_key as string, customerId: body.data.customer_id as string };
    const portfolio = portfolioOf(first().url, caller, client);
    await portfolio.connect('platform_a');
    const [payment] = await portfolio.list('platform_a', 'payment');
    const change = {
      headers: { 'Idempotency-Key': 'once' },
      body: {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: payment?.canonical_id,
        data: { notes: 'Once' },
      },
    };
    const answers = [];
    for (const { url } of [first(), second(), first()]) {
      answers.push(await api(url, caller.key).send('POST', '/propagate', change));
    }
    expect(answers.map(({ status, headers }) => [status, headers.get('Idempotent-Replayed')])).toEqual([
      [200, null],
      [200, 'true'],
      [200, 'true'],
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});
