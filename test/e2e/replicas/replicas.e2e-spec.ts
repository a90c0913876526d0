import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';
import { startTcpBalancer, type TcpBalancer } from '../../support/http/tcp-balancer';

// A process is started and killed.
jest.setTimeout(120_000);

/** A change that was sent, and what was answered; `cut` when no answer came. */
interface Attempt {
  readonly note: string;
  readonly status: number | 'cut';
}

describe('two instances on one database', () => {
  /** It is killed, so it has a process of its own. */
  let first: ServiceProcess;
  let second: RunningApp;
  beforeAll(async () => {
    second = await startApp({ rateLimitStorage: 'database' });
    first = await startServiceProcess(second.databaseUrl);
  });
  beforeEach(async () => {
    // The test that kills it may come first.
    if (first.hasEnded) first = await startServiceProcess(second.databaseUrl);
  });
  afterAll(async () => {
    await first.kill();
    await second.close();
  });

  const cli = async (...args: string[]): Promise<ReturnType<typeof JSON.parse>> => {
    let out = '';
    const output = outputTo(
      (text) => (out += text),
      () => undefined,
    );
    const code = await runCli(
      [...args, '--json'],
      { DATABASE_URL: second.databaseUrl, LOG_LEVEL: 'silent' },
      output,
    );
    expect(code).toBe(0);
    return JSON.parse(out);
  };

  async function anyCustomer(): Promise<{ id: string; keyId: string; key: string }> {
    const { customer_id: id } = await cli('customers', 'create', '--name', 'Acme');
    const { key_id: keyId, api_key: key } = await cli('keys', 'issue', '--customer', id, '--mode', 'test');
    return { id, keyId, key };
  }

  it('limit demo sessions together', async () => {
    const answers: ApiResponse[] = [];
    for (let call = 0; call < 7; call += 1) {
      answers.push(await api((call % 2 === 0 ? first : second).url).post('/demo/session'));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const waits = answers.slice(5).map(({ headers }) => Number(headers.get('Retry-After')));
    for (const wait of waits) expect(wait > 0 && wait <= 60).toBe(true);
  });

  it('void a revoked key within a second', async () => {
    const { key, keyId } = await anyCustomer();
    const statuses = () =>
      Promise.all([first, second].map(async ({ url }) => (await api(url, key).get('/connections')).status));
    expect(await statuses()).toEqual([200, 200]);
    await cli('keys', 'revoke', '--key-id', keyId);
    const revoked = performance.now();
    for (;;) {
      const sent = performance.now();
      const now = await statuses();
      if (now.every((status) => status === 401)) break;
      expect(sent - revoked).toBeLessThan(1_000);
    }
    expect(await statuses()).toEqual([401, 401]);
  });

  it('see what the other has written, and let simultaneous connects follow one another', async () => {
    const { key } = await anyCustomer();
    const [a, b] = [api(first.url, key), api(second.url, key)];
    const connects = await Promise.all(
      [a, b, a, b].map((client, index) =>
        client.post('/connect', { platform: index < 2 ? 'platform_a' : 'platform_b' }),
      ),
    );
    expect(connects.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [there, here] = [await a.get('/connections'), await b.get('/connections')];
    expect(there.body).toEqual(here.body);
    expect(there.body.data.connections).toHaveLength(2);
    const listing = '/objects?platform=platform_a&entity_type=payment';
    expect((await a.get(listing)).text).toBe((await b.get(listing)).text);
  });

  describe('behind a balancer', () => {
    let balancer: TcpBalancer;
    beforeEach(async () => {
      balancer = await startTcpBalancer([first.url, second.url]);
    });
    afterEach(() => balancer.close());

    it('go on serving when one is killed under load, and keep every change that was acknowledged', async () => {
      const { key } = await anyCustomer();
      const client = api(balancer.url, key);
      // Each request comes on a connection of its own, as from many clients.
      const alone = { Connection: 'close' };
      await client.post('/connect', { platform: 'platform_a' }, alone);
      await client.post('/connect', { platform: 'platform_b' }, alone);
      const payments = (await client.get('/objects?platform=platform_a&entity_type=payment', alone)).body
        .data;

      const notesOf = (attempts: readonly Attempt[]) => attempts.map(({ note }) => note);
      const onPlatformB = async (payment: number): Promise<string> => {
        const records = (await client.get('/objects?platform=platform_b&entity_type=payment', alone)).body
          .data;
        const { canonical_id: id } = payments[payment];
        return records.find((record: { canonical_id: string }) => record.canonical_id === id).data.notes;
      };
      const change = async (payment: number, note: string): Promise<Attempt> => {
        const { canonical_id: id } = payments[payment];
        const data = { notes: note };
        const body = {
          format: 'canonical',
          canonical_id: id,
          entity_type: 'payment',
          data,
          create_missing: true,
        };
        const status = await client.post('/propagate', body, alone).then(
          (answer) => answer.status,
          () => 'cut' as const,
        );
        return { note, status };
      };

      // Four clients change a payment each, over and over; the last change of each is the one that the kill finds.
      let isKilled = false;
      const untilKilled = async (payment: number): Promise<readonly Attempt[]> => {
        const attempts: Attempt[] = [];
        for (let round = 0; !isKilled; round += 1) {
          attempts.push(await change(payment, `round ${round}`));
          if (payment === 0 && round === 10) {
            await first.kill();
            isKilled = true;
          }
        }
        return attempts;
      };
      const workers = await Promise.all([0, 1, 2, 3].map(untilKilled));
      for (const [payment, attempts] of workers.entries()) {
        expect(attempts.filter(({ status }) => status !== 200 && status !== 'cut')).toEqual([]);
        // What was acknowledged is there, unless one that was cut later got through.
        const last = attempts.findLastIndex(({ status }) => status === 200);
        expect(last).toBeGreaterThan(0);
        expect(notesOf(attempts.slice(last))).toContain(await onPlatformB(payment));
      }

      // The other goes on as if nothing had been.
      for (const payment of [0, 1, 2, 3]) {
        for (const round of [1, 2, 3]) {
          expect(await change(payment, `later ${round}`)).toEqual({ note: `later ${round}`, status: 200 });
        }
        expect(await onPlatformB(payment)).toBe('later 3');
      }
      expect((await api(second.url).get('/health')).status).toBe(200);
    });
  });
});
