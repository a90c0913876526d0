import { setTimeout as sleep } from 'node:timers/promises';
import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { api } from '../../support/app/api';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { startDatabaseProxy, type DatabaseProxy } from '../../support/database/database-proxy';
import { rawHttp } from '../../support/http/raw-http';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';

// A real process is started and taken through everything, with its database stopped in the end.
jest.setTimeout(120_000);

describe('the log of a whole run, with nothing left out', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let service: ServiceProcess;
  /** Every key that was used, and what of the operator's commands is no result. */
  const keys: string[] = [];
  let said = '';

  async function cli(...args: string[]): Promise<ReturnType<typeof JSON.parse>> {
    let out = '';
    const output = outputTo(
      (text) => (out += text),
      (text) => (said += text),
    );
    const source = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
    expect(await runCli([...args, '--json'], source, output)).toBe(0);
    return JSON.parse(out);
  }

  beforeAll(async () => {
    database = await migratedDatabase();
    proxy = await startDatabaseProxy(database.url);
    service = await startServiceProcess(proxy.url, { logLevel: 'trace' });

    const demo = (await api(service.url).post('/demo/session')).body.data.api_key as string;
    const { customer_id: customer } = await cli('customers', 'create', '--name', 'Acme');
    const test = await cli('keys', 'issue', '--customer', customer, '--mode', 'test');
    const live = await cli('keys', 'issue', '--customer', customer, '--mode', 'live');
    const rotated = await cli('keys', 'rotate', '--key-id', test.key_id);
    keys.push(demo, test.api_key, live.api_key, rotated.api_key);
    for (const key of keys) await walk(key);
    await proxy.stop();
    let last: string | null = null;
    for (const key of keys) {
      expect((await api(service.url, key).get('/connections')).status).toBe(502);
      const answer = await api(service.url, key).post('/connect', { platform: 'platform_a' });
      expect(answer.status).toBe(502);
      last = answer.headers.get('X-Request-ID');
    }
    // The line of a request is written just after its answer is out.
    const isLast = (line: string) => line.includes(String(last)) && line.includes('"msg":"request"');
    while (!service.output.some(isLast)) await sleep(10);
  });
  afterAll(async () => {
    await service.kill();
    await proxy.stop();
    await database.drop();
  });

  /** Calls every route with a key, and puts the key where it does not belong. */
  async function walk(key: string): Promise<void> {
    const client = api(service.url, key);
    await client.post('/connect', { platform: 'platform_a' });
    await client.post('/connect', { platform: 'platform_b' });
    const [payment] = (await client.get('/objects?platform=platform_a&entity_type=payment')).body.data;
    const change = { format: 'canonical', canonical_id: payment.canonical_id, entity_type: 'payment' };
    await client.post('/propagate', { ...change, data: { notes: key, check_number: key } });
    await client.post('/propagate', { ...change, canonical_id: key, data: { notes: 'x' } });
    await client.post('/transform', {
      source: key,
      target: 'platform_b',
      entity_type: 'payment',
      data: { id: key },
    });
    await client.post('/connect', { platform: key });
    await client.get(`/objects?platform=${key}&entity_type=${key}`);
    await client.get(`/${key}?api_key=${key}`);
    await client.send('POST', '/connect', { body: `{"platform":"${key}` });
    await client.get('/health', { 'X-Request-ID': key, traceparent: key, tracestate: key, Cookie: key });
    await api(service.url, `${key}x`).get('/connections');
    await api(service.url).get('/connections', { Authorization: key });
    await rawHttp(service.url, `GET /api/v1/health HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`);
    await rawHttp(service.url, `${key}\r\n\r\n`);
  }

  it('has lines of all that was done', () => {
    const log = service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const requests = log.filter(({ msg }) => msg === 'request');
    expect(requests.length).toBeGreaterThan(40);
    expect(log.filter(({ level }) => level === 'error').length).toBeGreaterThanOrEqual(8);
  });

  it('holds none of the keys, in whole or in part', () => {
    const log = service.output.join('\n');
    for (const key of keys) {
      const secret = key.slice('sk_test_'.length);
      expect(log).not.toContain(secret);
      expect(log).not.toContain(secret.slice(0, 16));
      expect(said).not.toContain(secret.slice(0, 16));
    }
  });

  it('holds no password of the database', () => {
    const { password } = new URL(database.url);
    expect(password.length).toBeGreaterThan(8);
    expect(service.output.join('\n')).not.toContain(password);
  });
});
