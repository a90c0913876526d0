import { setTimeout as sleep } from 'node:timers/promises';
import { startPlatformB, type Fault, type RunningPlatformA, type RunningPlatformB } from '@app/simulators';
import { Client } from 'pg';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { blockedDuring } from '../../support/this-process/blocked-loop';
import { startLiveService, startUnlimited, type LiveService } from '../../support/live/live-platform-a';
import { settingsOf, textOf } from '../../support/live/live-platform-b';
import { platforms, portfolioOf, type Portfolio } from '../../support/customers/portfolio';

jest.setTimeout(180_000);

/** Characters of a message; what an answer of a refusal may have at most is a little more. */
const LONG = 200_000;

/**
 * For how long other work may have to wait, in milliseconds. A reader whose work grows with its input needs a twentieth of it for each
 * of these answers on an idle machine; one whose work grows with the square of its input needs several times as long.
 */
const LONGEST_STALL_MS = 2_000;

const blanks = ' '.repeat(LONG);
const messages: Readonly<Record<string, string>> = {
  'blanks only': blanks,
  'blanks before a word': `${blanks}x`,
  'correlation IDs': 'CorrelationId: '.repeat(LONG / 15),
  'a correlation ID that does not end': `No. CorrelationId:${' '.repeat(LONG / 2)}${'a-'.repeat(LONG / 4)}!`,
  'control characters': '\u0001\u2028\t'.repeat(LONG / 20),
  'signs of markup': '< '.repeat(LONG / 2),
  'more than is read': 'no '.repeat(LONG),
};

const bodies: Readonly<Record<string, string>> = {
  'lists in lists': '['.repeat(1_000_000) + ']'.repeat(1_000_000),
  'objects in objects': '{"value":'.repeat(200_000) + '1' + '}'.repeat(200_000),
  'lists that do not end': '['.repeat(4_000_000),
  'empty objects': `{"value":[${'{},'.repeat(1_500_000)}{}]}`,
  'a name for each value': `{${Array.from({ length: 250_000 }, (_, n) => `"n${n}":1`).join()}}`,
  blanks: ' '.repeat(4_000_000),
  quotes: '"\\'.repeat(1_000_000),
  'a number without end': `[${'1'.repeat(4_000_000)}]`,
  'numbers that no double holds': `[${'1.2345678901234567890e300,'.repeat(100_000)}1]`,
};

const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a link that does not begin': { link: '<'.repeat(50_000) },
  'a relation that does not end': { link: `<https://x>; rel=${' '.repeat(25_000)}${' n'.repeat(12_000)}` },
  'links without end': { link: '<https://x>;rel="nex",'.repeat(2_000) },
  'a pause without end': { 'retry-after': '9'.repeat(50_000) },
  'a pause of blanks': { 'retry-after': `1${' '.repeat(50_000)}x` },
  'a date without end': { date: '1 '.repeat(25_000), 'retry-after': 'Mon, '.repeat(2_000) },
  'limits of blanks': {
    'x-rate-limit-limit': `${' '.repeat(20_000)}x`,
    'x-rate-limit-reset': `${' '.repeat(20_000)}x`,
  },
};

describe('An answer of a platform that is made to cost time', () => {
  let service: LiveService;
  let database: Client;
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  let customer: Portfolio;
  beforeAll(async () => {
    service = await startLiveService();
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    a = await startUnlimited();
    b = await startPlatformB();
    const caller = await service.openLive(a);
    const { settings, secret } = settingsOf(b);
    await service.app
      .get(CredentialsService, { strict: false })
      .set(caller.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    customer = portfolioOf(service.url, caller, database);
    for (const platform of platforms) await customer.connect(platform);
  });
  afterAll(async () => {
    await a.close();
    await b.close();
    await database.end();
    await service.close();
  });
  afterEach(() => {
    a.control.faults.clear();
    b.control.faults.clear();
  });

  const controlOf = (platform: 'platform_a' | 'platform_b') => (platform === 'platform_a' ? a : b).control;
  const answerWith = (platform: 'platform_a' | 'platform_b', method: string, fault: Partial<Fault>): void => {
    const match = { method, path: platform === 'platform_a' ? '/rest/' : '/companies' };
    controlOf(platform).faults.add({ kind: 'status', match, times: 0, ...fault } as Fault);
  };

  /** Changes a record of a platform, and waits for what becomes of the write there. */
  async function write(platform: 'platform_a' | 'platform_b'): Promise<{ status: string; reason?: string }> {
    const text = `Changed ${Date.now()}`;
    const answer =
      platform === 'platform_a'
        ? await customer.creating.native('platform_a', 'payment', '1823391', { notes: text })
        : await customer.native('platform_b', 'customer', textOf(b.control.records('customers')[0], 'id'), {
            website: `https://${Date.now()}.example`,
          });
    expect(answer.status).toBe(200);
    for (;;) {
      service.app.get(Dispatcher, { strict: false }).wake();
      const { body } = await customer.client.get(`/propagations/${answer.body.data.propagation_id}`);
      const outcome = body.data.propagated[platform];
      if (!['pending', 'uncertain'].includes(outcome.status)) return outcome;
      await sleep(20);
    }
  }

  describe.each(['platform_a', 'platform_b'] as const)('of %s', (platform) => {
    it.each(Object.entries(messages))('with which it refuses a write: %s', async (_what, message) => {
      const text = JSON.stringify(
        platform === 'platform_a'
          ? { errors: { base: [message] } }
          : { error: { code: 'BadRequest', message } },
      );
      answerWith(platform, 'PATCH', { status: 400, text });
      const { result, longest } = await blockedDuring(write(platform));
      expect(result.status).toBe('rejected');
      expect((result.reason ?? '').length).toBeLessThanOrEqual(600);
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
    });

    it.each(Object.entries(bodies))('to a reading: %s', async (_what, text) => {
      answerWith(platform, 'GET', { status: 200, text });
      const { result, longest } = await blockedDuring(customer.client.post('/connect', { platform }));
      expect([200, 502]).toContain(result.status);
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
    });

    it.each(Object.entries(bodies))('that refuses a reading: %s', async (_what, text) => {
      answerWith(platform, 'GET', { status: 400, text });
      const { result, longest } = await blockedDuring(customer.client.post('/connect', { platform }));
      expect([200, 502]).toContain(result.status);
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
    });

    it.each(Object.entries(headers))('in its headers: %s', async (_what, set) => {
      controlOf(platform).faults.add({ kind: 'headers', match: { method: 'GET' }, times: 0, headers: set });
      const { result, longest } = await blockedDuring(customer.client.post('/connect', { platform }));
      expect([200, 502]).toContain(result.status);
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
    });
  });
});
