import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { blockedDuring } from '../../support/this-process/blocked-loop';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing } from '../../support/customers/listings';

jest.setTimeout(180_000);

/** What a bystander waits at most while one customer floods the service. */
const BYSTANDER_MS = 1_000;

/** For how long nothing else may run because of one body. */
const BLOCKED_MS = 200;

describe('A bystander', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let bystander: Caller;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    bystander = await service.openSession();
    await connect(api(service.url, bystander.key), 'platform_a');
  });
  afterAll(() => service.close());

  /** Asks again and again while the flood goes on; the longest wait, and every status but 200. */
  async function meanwhile(flood: Promise<unknown>): Promise<{ longest: number; others: number[] }> {
    const state = { over: false };
    const end = flood.finally(() => (state.over = true));
    const client = api(service.url, bystander.key);
    const others: number[] = [];
    let longest = 0;
    do {
      const began = performance.now();
      const { status } = await client.get('/objects?platform=platform_a&entity_type=payment');
      longest = Math.max(longest, performance.now() - began);
      if (status !== 200) others.push(status);
      await sleep(10);
    } while (!state.over);
    await end;
    return { longest, others };
  }

  async function connected(): Promise<Caller> {
    const caller = await service.openSession();
    await connect(api(service.url, caller.key), 'platform_a');
    await connect(api(service.url, caller.key), 'platform_b');
    return caller;
  }

  it('is served while one customer connects two hundred times at once', async () => {
    const client = api(service.url, (await service.openSession()).key);
    const flood = Array.from({ length: 200 }, () => client.post('/connect', { platform: 'platform_a' }));
    const { longest, others } = await meanwhile(Promise.all(flood));
    expect(others).toEqual([]);
    expect(longest).toBeLessThan(BYSTANDER_MS);
    for (const { status } of await Promise.all(flood)) expect([200, 202, 409, 502]).toContain(status);
  });

  it('is served while one customer changes one object three hundred times at once', async () => {
    const client = api(service.url, (await connected()).key);
    const [payment] = await listing(client, 'platform_a', 'payment');
    const change = (notes: string) =>
      client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: payment?.canonical_id,
        data: { notes },
      });
    const flood = Array.from({ length: 300 }, (_, index) => change(`note ${index}`));
    const { longest, others } = await meanwhile(Promise.all(flood));
    expect(others).toEqual([]);
    expect(longest).toBeLessThan(BYSTANDER_MS);
    expect((await change('after all of them')).status).toBe(200);
  });

  it('is served while others read slowly, and so is the slow readers’ customer', async () => {
    const slow = await service.openSession();
    sources.give(
      slow.customerId,
      'platform_a',
      Array.from({ length: 2_000 }, (_, id) => record('payment', { id, notes: 'x'.repeat(8_000) })),
    );
    await connect(api(service.url, slow.key), 'platform_a');
    const readers = await Promise.all(Array.from({ length: 20 }, () => unread(slow)));
    const { longest, others } = await meanwhile(sleep(500));
    expect(others).toEqual([]);
    expect(longest).toBeLessThan(BYSTANDER_MS);
    expect((await api(service.url, slow.key).get('/connections')).status).toBe(200);
    for (const reader of readers) reader.destroy();
  });

  it('is served, and a connect is made, while one customer changes an object without end', async () => {
    const client = api(service.url, (await connected()).key);
    const [payment] = await listing(client, 'platform_a', 'payment');
    let over = false;
    const loop = async (name: number): Promise<void> => {
      for (let count = 0; !over; count += 1)
        await client.post('/propagate', {
          format: 'canonical',
          entity_type: 'payment',
          canonical_id: payment?.canonical_id,
          data: { notes: `${name} ${count}` },
        });
    };
    const loops = Promise.all([1, 2, 3, 4].map(loop));
    await sleep(200);
    const connecting = client.post('/connect', { platform: 'platform_a' }).finally(() => (over = true));
    const { longest, others } = await meanwhile(connecting);
    await loops;
    expect(others).toEqual([]);
    expect(longest).toBeLessThan(BYSTANDER_MS);
    expect((await connecting).status).toBe(200);
  });

  describe('of a costly body', () => {
    const fill = (one: string, bytes = 990_000): string =>
      Array.from({ length: Math.floor(bytes / (one.length + 1)) }, () => one).join(',');
    const bodies: Record<string, string> = {
      'numbers that all need exactness': `[${fill('0.12345678901234567890')}]`,
      'numbers with huge exponents': `[${fill('1e999999999')}]`,
      'deep lists': `[${fill(`${'['.repeat(90)}${']'.repeat(90)}`)}]`,
      'many members': `{${Array.from({ length: 70_000 }, (_, index) => `"m${index}":1`).join(',')}}`,
      escapes: `"${'\\u00e9'.repeat(160_000)}"`,
      'characters that grow when they are normalised': `"${'\uFDFA'.repeat(320_000)}"`,
      'empty objects': `[${fill('{}')}]`,
    };
    const routes: Record<string, (value: string) => string> = {
      '/transform': (value) =>
        `{"source":"platform_a","target":"platform_b","entity_type":"payment","data":{"id":1,"x":${value}}}`,
      '/propagate': (value) =>
        `{"format":"canonical","entity_type":"payment","canonical_id":"pay_0000000000000000","data":{"x":${value}}}`,
      '/connect': (value) => `{"platform":"platform_c","x":${value}}`,
    };
    const cases = Object.keys(routes).flatMap((route) =>
      Object.keys(bodies).map((body) => [route, body] as const),
    );

    it.each(cases)('%s with %s is not kept waiting', (route, body) =>
      isNotKeptWaiting(route, routes[route]?.(bodies[body] ?? '') ?? ''),
    );

    // Just within the limits of a body, so that the work behind them is done.
    const members = Array.from({ length: 9_900 }, (_, index) => `"m${index}":1`).join(',');
    const lines = (line: string, count: number): string => `[${Array(count).fill(line).join(',')}]`;
    const contract = (data: string): readonly [string, string] => [
      '/transform',
      `{"source":"platform_a","target":"platform_b","entity_type":"contract","context":{"commitmentType":"WorkOrderContract"},"data":${data}}`,
    ];
    const change = (id: string, data: string): readonly [string, string] => [
      '/propagate',
      `{"format":"platform","platform":"platform_a","platform_id":"${id}","entity_type":"payment","data":${data}}`,
    ];
    const aimed: Record<string, readonly [string, string]> = {
      'members that a record does not know': change('1823456', `{${members}}`),
      'members of one object that a record does not know': change('1823456', `{"x":{${members}}}`),
      'members for a record that nobody has': change('nobody', `{${members}}`),
      'empty lines': contract(`{"line_items":${lines('{}', 10_000)}}`),
      'lines of which none fits': contract(`{"line_items":${lines('{"amount":true}', 10_000)}}`),
      'more faulty lines than a list may have': contract(`{"line_items":${lines('1', 450_000)}}`),
      'quantities with huge exponents': contract(`{"line_items":${lines('{"quantity":1e999}', 10_000)}}`),
      'a key that grows when it is normalised': contract(`{"number":"${'\uFDFA'.repeat(320_000)}"}`),
    };

    it.each(Object.keys(aimed))('with %s is not kept waiting', (name) =>
      isNotKeptWaiting(...(aimed[name] ?? ['', ''])),
    );

    async function isNotKeptWaiting(route: string, body: string): Promise<void> {
      expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024);
      const compressed = gzipSync(body);
      const headers = { 'Content-Encoding': 'gzip' };
      const client = api(service.url, bystander.key);
      const blocked: number[] = [];
      // The best of three: a machine that others use as well is slow now and then.
      while (blocked.length < 3 && Math.min(Infinity, ...blocked) >= BLOCKED_MS) {
        const { longest, result } = await blockedDuring(client.post(route, compressed, headers));
        expect(result.status).toBeLessThan(500);
        expect(result.text.length).toBeLessThan(4_000_000);
        blocked.push(longest);
      }
      expect(Math.min(...blocked)).toBeLessThan(BLOCKED_MS);
    }
  });

  /** A listing that is asked for and not read. */
  function unread(caller: Caller): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${caller.key}` };
      get(
        `${service.url}/api/v1/objects?platform=platform_a&entity_type=payment`,
        { headers, agent: false },
        (response) => {
          response.pause();
          resolve(response);
        },
      ).once('error', reject);
    });
  }
});
