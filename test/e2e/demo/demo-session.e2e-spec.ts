import { Client } from 'pg';
import { statementFailed } from '../../../src/database/connection/database-errors';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function rowsIn(
  service: RunningApp,
  table: 'customers' | 'api_keys',
  customerId: string,
): Promise<unknown[]> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    const column = table === 'customers' ? 'id' : 'customer_id';
    return (await client.query<object>(`select * from ${table} where ${column} = $1`, [customerId])).rows;
  } finally {
    await client.end();
  }
}

describe('POST /demo/session', () => {
  describe('200', () => {
    let service: RunningApp;
    beforeEach(async () => {
      service = await startApp();
    });
    afterEach(() => service.close());

    it('gives a key and a customer', async () => {
      const answer = await api(service.url).post('/demo/session');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        data: {
          api_key: expect.stringMatching(/^sk_demo_[A-Za-z0-9]{32,}$/),
          customer_id: expect.stringMatching(UUID),
        },
      });
    });

    it('stores the hash of the key, and the key nowhere', async () => {
      const { api_key: key, customer_id: id } = (await api(service.url).post('/demo/session')).body.data;
      const [row] = await rowsIn(service, 'api_keys', id);
      expect(row).toMatchObject({
        mode: 'demo',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        revoked_at: null,
      });
      expect(JSON.stringify(row)).not.toContain(key.slice(8, -4));
    });

    it('needs no body, takes any JSON object, and does not look at a key', async () => {
      for (const body of [undefined, {}, { name: 'x', __proto__: 1 }]) {
        expect((await api(service.url).send('POST', '/demo/session', { body })).status).toBe(200);
      }
      expect((await api(service.url, 'nonsense').post('/demo/session')).status).toBe(200);
    });

    it('gives each caller a customer of its own', async () => {
      const [first, second] = await Promise.all([1, 2].map(() => api(service.url).post('/demo/session')));
      expect(first?.body.data.customer_id).not.toBe(second?.body.data.customer_id);
      expect(first?.body.data.api_key).not.toBe(second?.body.data.api_key);
    });
  });

  describe('400', () => {
    it('refuses a body that is no JSON object', async () => {
      const service = await startApp();
      try {
        for (const body of ['{', '[]', '"x"']) {
          expectError(
            await api(service.url).send('POST', '/demo/session', { body }),
            400,
            'VALIDATION_ERROR',
          );
        }
      } finally {
        await service.close();
      }
    });
  });

  describe('429', () => {
    let service: RunningApp;
    const open = (headers?: Record<string, string>) => api(service.url).post('/demo/session', {}, headers);
    const statuses = async (count: number, headers: (index: number) => Record<string, string>) => {
      const found: number[] = [];
      for (let index = 0; index < count; index += 1) found.push((await open(headers(index))).status);
      return found;
    };
    afterEach(() => service.close());

    it('answers the sixth call of an address within a minute, and says how long to wait', async () => {
      service = await startApp();
      const begun = performance.now();
      for (let calls = 0; calls < 5; calls += 1) expect((await open()).status).toBe(200);
      const answer = await open();
      const passed = (performance.now() - begun) / 1_000;
      expectError(answer, 429, 'RATE_LIMIT_ERROR', /^Too many requests from this address; retry in \d+ s$/);
      const seconds = Number(answer.headers.get('Retry-After'));
      // The minute began with the first call.
      expect(Number.isInteger(seconds) && seconds >= 60 - passed && seconds <= 60).toBe(true);
    });

    it('counts calls at the same time as well', async () => {
      service = await startApp();
      const answers = await Promise.all(Array.from({ length: 12 }, () => open()));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    });

    it('limits no other route', async () => {
      service = await startApp();
      for (let calls = 0; calls < 6; calls += 1) await open();
      const answers = await Promise.all(Array.from({ length: 20 }, () => api(service.url).get('/health')));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect((await api(service.url).delete('/demo/session')).status).toBe(401);
    });

    it('ignores X-Forwarded-For by default', async () => {
      service = await startApp();
      expect(await statuses(6, (index) => ({ 'X-Forwarded-For': `203.0.113.${index}` }))).toEqual([
        200, 200, 200, 200, 200, 429,
      ]);
    });

    it('counts the client that a trusted proxy names', async () => {
      service = await startApp({ trustProxy: 1 });
      // What is left of the proxy's own entry comes from the client.
      expect(
        await statuses(6, (index) => ({ 'X-Forwarded-For': `198.51.100.${index}, 203.0.113.7` })),
      ).toEqual([200, 200, 200, 200, 200, 429]);
      expect((await open({ 'X-Forwarded-For': '203.0.113.8' })).status).toBe(200);
    });

    it('counts an IPv4 address written as IPv6, or with a port, as itself', async () => {
      service = await startApp({ trustProxy: ['loopback'] });
      const spellings = [
        '203.0.113.9',
        '::ffff:203.0.113.9',
        '::FFFF:CB00:7109',
        '203.0.113.9:1234',
        '203.0.113.9:9',
      ];
      expect(
        await statuses(6, (index) => ({ 'X-Forwarded-For': spellings[index] ?? '203.0.113.9' })),
      ).toEqual([200, 200, 200, 200, 200, 429]);
    });

    it('counts IPv6 addresses by their /64', async () => {
      service = await startApp({ trustProxy: 1 });
      expect(await statuses(6, (index) => ({ 'X-Forwarded-For': `2001:db8:1:2:${index}::1` }))).toEqual([
        200, 200, 200, 200, 200, 429,
      ]);
      expect((await open({ 'X-Forwarded-For': '2001:db8:1:3::1' })).status).toBe(200);
    });
  });
});

describe('DELETE /demo/session', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());

  describe('204', () => {
    it('removes the customer, its key and all of its data, and no other customer', async () => {
      const mine = await service.openSession();
      const other = await service.openSession();
      const answer = await api(service.url, mine.key).delete('/demo/session');
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
      expect(answer.headers.get('API-Version')).toBe('1.0');
      expect(answer.headers.get('Content-Type')).toBeNull();
      expect(await rowsIn(service, 'customers', mine.customerId)).toEqual([]);
      expect(await rowsIn(service, 'api_keys', mine.customerId)).toEqual([]);
      expect(await rowsIn(service, 'customers', other.customerId)).toHaveLength(1);
      expect((await api(service.url, other.key).delete('/demo/session')).status).toBe(204);
    });

    it('takes an empty JSON object for a body', async () => {
      const { key } = await service.openSession();
      expect((await api(service.url, key).send('DELETE', '/demo/session', { body: {} })).status).toBe(204);
    });
  });

  describe('401', () => {
    it('refuses the second call', async () => {
      const { key } = await service.openSession();
      await api(service.url, key).delete('/demo/session');
      expectError(
        await api(service.url, key).delete('/demo/session'),
        401,
        'AUTHENTICATION_ERROR',
        'Invalid or missing API key',
      );
    });

    it('refuses all but one of several concurrent calls', async () => {
      const { key } = await service.openSession();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => api(service.url, key).delete('/demo/session')),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401, 401, 401]);
    });
  });

  describe('409', () => {
    it('refuses if work for the customer does not end in 20 s, and changes nothing', async () => {
      const { key, customerId } = await service.openSession();
      const unitOfWork = service.app.get(UnitOfWork, { strict: false });
      const run = unitOfWork.run.bind(unitOfWork);
      // What waiting for locks comes to in the end; the wait itself belongs to the unit of work.
      const refused = statementFailed('', Object.assign(new Error(), { severity: 'ERROR', code: '55P03' }));
      const lockWaits: unknown[] = [];
      const spy = jest.spyOn(unitOfWork, 'run').mockImplementation((work, options) => {
        if (options?.lockWaitMs === undefined) return run(work, options);
        lockWaits.push(options.lockWaitMs, options.customerId);
        return Promise.reject(refused);
      });
      const answer = await api(service.url, key).delete('/demo/session');
      spy.mockRestore();
      expectError(answer, 409, 'CONFLICT_ERROR', /^Work for this customer is still under way; /);
      expect(lockWaits).toEqual([20_000, customerId]);
      expect(await rowsIn(service, 'customers', customerId)).toHaveLength(1);
      expect((await api(service.url, key).delete('/demo/session')).status).toBe(204);
    });
  });

  describe('403', () => {
    it.each(['test', 'live'] as const)('refuses a %s key, whose customer stays', async (mode) => {
      const { key, customerId } = await service.issueKey(mode);
      expectError(
        await api(service.url, key).delete('/demo/session'),
        403,
        'AUTHORIZATION_ERROR',
        'Only a demo key may do that',
      );
      expect(await rowsIn(service, 'customers', customerId)).toHaveLength(1);
    });
  });
});
