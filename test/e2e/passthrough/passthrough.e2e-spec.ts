import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPlatformB, type Fault, type RunningPlatformA, type RunningPlatformB } from '@app/simulators';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { PassthroughRetention } from '../../../src/passthrough/passthrough-retention';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import { api } from '../../support/app/api';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';
import { settingsOf, textOf } from '../../support/live/live-platform-b';

jest.setTimeout(120_000);

const VENDORS = '/rest/v1.0/vendors';

describe('POST /platforms/{platform}/request', () => {
  let service: LiveService;
  let database: Client;
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  let caller: LiveCaller;
  let client: ReturnType<typeof api>;
  let company: string;
  let vendor: number;
  beforeAll(async () => {
    service = await startLiveService({ logLevel: 'debug' });
    // A write asks for a reading, whose calls would be among those that a test counts.
    await endBackgroundTasks(service.app);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    a = await startUnlimited();
    b = await startPlatformB();
    caller = await service.openLive(a);
    const { settings, secret } = settingsOf(b);
    await service.app
      .get(CredentialsService, { strict: false })
      .set(caller.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    const { key } = await service.app
      .get(ApiKeysService, { strict: false })
      .issue(caller.customerId, 'live', { permissions: ['read', 'write', 'passthrough'] });
    client = api(service.url, key);
    company = a.credentials.company_id;
    vendor = Number(a.control.records('vendors')[0]?.['id']);
  });
  afterAll(async () => {
    expect(a.control.defects).toEqual([]);
    await a.close();
    await b.close();
    await database.end();
    await service.close();
  });
  afterEach(() => a.control.faults.clear());

  const ask = (platform: string, body: object, key?: string) =>
    client.post(`/platforms/${platform}/request`, body, key === undefined ? {} : { 'Idempotency-Key': key });
  const get = (path: string, query: object = { company_id: company }) =>
    ask('platform_a', { method: 'GET', path, query });
  const patch = (name: string, key: string, more: object = {}) =>
    ask(
      'platform_a',
      {
        method: 'PATCH',
        path: `${VENDORS}/${vendor}`,
        query: { company_id: company },
        body: { company_id: Number(company), vendor: { name } },
        ...more,
      },
      key,
    );
  const fault = (one: Fault) => a.control.faults.add(one);
  const writes = () => a.control.log.list(/^(?:POST|PATCH|PUT|DELETE) \/rest/).length;
  const nameOfVendor = () => a.control.records('vendors')[0]?.['name'];
  const requests = async () => (await client.get('/platforms/platform_a/requests')).body.data;

  describe('a read', () => {
    it('comes with the status, the headers and the body of the platform', async () => {
      const answer = await get(`${VENDORS}/${vendor}`);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({
        status: 200,
        headers: expect.objectContaining({
          'content-type': expect.stringMatching(/json/) as unknown,
        }) as unknown,
        body: expect.objectContaining({ id: vendor, name: nameOfVendor() }) as unknown,
      });
    });

    it('is answered with 200 whatever status the platform returns', async () => {
      const answer = await get(`${VENDORS}/999999999`);
      expect([answer.status, answer.body.data.status]).toEqual([200, 404]);
    });

    it('follows pages by their links, and names its query', async () => {
      const answer = await get(VENDORS, { company_id: company, per_page: 1, page: 2, view: 'normal' });
      expect(answer.body.data.body).toHaveLength(1);
      expect(answer.body.data.headers.link).toMatch(/rel="first"/);
    });

    it('is repeated when the platform cannot serve', async () => {
      fault({ kind: 'status', status: 503, match: { method: 'GET', path: VENDORS } });
      fault({ kind: 'reset_before', match: { method: 'GET', path: VENDORS, nth: 2 } });
      expect((await get(`${VENDORS}/${vendor}`)).body.data.status).toBe(200);
    });

    it('shows a page of a gateway as text, without the token', async () => {
      const leak: Fault = {
        kind: 'run',
        match: { path: VENDORS },
        run: ({ headers }) => {
          a.control.faults.add({
            kind: 'status',
            status: 200,
            text: `you sent ${headers['authorization'] ?? 'nothing'}`,
            match: { path: VENDORS },
          });
        },
      };
      fault(leak);
      await get(`${VENDORS}/${vendor}`);
      const answer = await get(`${VENDORS}/${vendor}`);
      expect(answer.body.data).toMatchObject({ status: 200, body: 'you sent Bearer [token]' });
    });

    it('that is too large is 502', async () => {
      fault({ kind: 'status', status: 200, text: 'x'.repeat(1_100_000), match: { path: VENDORS }, times: 0 });
      const answer = await get(`${VENDORS}/${vendor}`);
      expect([answer.status, answer.body.error.message]).toEqual([
        502,
        expect.stringContaining('too large') as unknown,
      ]);
    });

    it('is recorded nowhere but in the log', async () => {
      const before = service.log.length;
      const recorded = await requests();
      await get(`${VENDORS}/${vendor}`);
      expect(await requests()).toEqual(recorded);
      expect(service.log.slice(before)).toContainEqual(
        expect.objectContaining({
          context: 'Platform',
          method: 'GET',
          path: `${VENDORS}/${vendor}?company_id`,
        }),
      );
    });
  });

  describe('a write', () => {
    it('needs an Idempotency-Key', async () => {
      const sent = writes();
      const answer = await ask('platform_a', { method: 'POST', path: VENDORS, body: {} });
      expect([answer.status, answer.body.error.message]).toEqual([
        400,
        expect.stringContaining('Idempotency-Key') as unknown,
      ]);
      expect(writes()).toBe(sent);
    });

    it('is sent once under a key, kept, listed, and read soon', async () => {
      await client.post('/connect', { platform: 'platform_a' });
      // Nothing else is due: of a customer one connection is read at a time.
      await database.query(
        `update sync_schedules set requested_at = null, not_before = null, sync_due_at = now() + interval '1 hour'`,
      );
      const sent = writes();
      const key = randomUUID();
      const first = await patch('Renamed from outside', key);
      const second = await patch('Renamed from outside', key);
      expect(first.body.data).toMatchObject({ status: 200, body: { name: 'Renamed from outside' } });
      expect(second.body.data).toEqual(first.body.data);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
      expect(writes()).toBe(sent + 1);
      const [record] = await requests();
      expect(record).toEqual({
        id: expect.any(String) as unknown,
        at: expect.stringMatching(/Z$/) as unknown,
        method: 'PATCH',
        path: `${VENDORS}/${vendor}`,
        state: 'answered',
        status: 200,
        request_id: first.headers.get('X-Request-ID'),
        key_id: expect.any(String) as unknown,
      });
      const schedule = service.app.get(SyncSchedule, { strict: false });
      await schedule.poll(new AbortController().signal);
      await schedule.idle();
      const { body } = await client.get('/objects?platform=platform_a&entity_type=customer&limit=500');
      const object = body.data.find(({ id }: { id: string }) => id === String(vendor));
      expect(object.data.name).toBe('Renamed from outside');
      const history = await client.get(`/objects/${object.canonical_id}/history`);
      expect(history.body.data[0]).toMatchObject({
        origin: { type: 'run', platform: 'platform_a' },
        fields: expect.arrayContaining([
          expect.objectContaining({ field: 'name', after: 'Renamed from outside' }),
        ]) as unknown,
      });
    });

    it('is refused by the platform in its own words, which the key keeps', async () => {
      const body = { method: 'POST', path: VENDORS, query: { company_id: company }, body: { wrong: true } };
      const key = randomUUID();
      const refused = await ask('platform_a', body, key);
      expect([refused.status, refused.body.data.status]).toEqual([200, 400]);
      expect((await ask('platform_a', body, key)).body.data).toEqual(refused.body.data);
    });

    it('keeps the spelling of its numbers', async () => {
      const text = `{"method":"PATCH","path":"${VENDORS}/${vendor}","query":{"company_id":${company}},"body":{"company_id":${company},"vendor":{"name":"N","legal_name":"L"},"extra":12345678901234567890.10}}`;
      const answer = await client.send('POST', '/platforms/platform_a/request', {
        body: text,
        headers: { 'Idempotency-Key': randomUUID() },
      });
      expect(answer.body.data.status).toBe(200);
    });

    it.each(['reset_after', 'cut', 'truncate'] as const)(
      'whose answer is lost (%s) is not sent again under its key',
      async (kind) => {
        fault({ kind, match: { method: 'PATCH' } });
        const [key, name, sent] = [randomUUID(), `Lost ${kind}`, writes()];
        const first = await patch(name, key);
        const lost = kind === 'truncate' ? first.body.data?.status === 200 : first.status === 502;
        expect(lost).toBe(true);
        expect(nameOfVendor()).toBe(name);
        const again = await patch(name, key);
        if (kind !== 'truncate') {
          expect(first.body.error.message).toMatch(/not known/);
          expect([again.status, again.body.error.message]).toEqual([
            409,
            expect.stringContaining('its answer was lost') as unknown,
          ]);
          expect((await requests())[0]).toMatchObject({ state: 'sent', status: null });
        }
        expect(again.headers.get('Idempotent-Replayed')).toBe('true');
        expect(writes()).toBe(sent + 1);
      },
    );

    it('is sent again under its key where the platform has certainly not done it', async () => {
      fault({ kind: 'status', status: 429, headers: { 'retry-after': '0' }, match: { method: 'PATCH' } });
      const [key, sent] = [randomUUID(), writes()];
      expect((await patch('Later', key)).body.data.status).toBe(429);
      const again = await patch('Later', key);
      expect([again.body.data.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
      expect(writes()).toBe(sent + 2);
    });

    it('leaves its key free for another request where the platform has certainly not done it', async () => {
      fault({ kind: 'status', status: 429, headers: { 'retry-after': '0' }, match: { method: 'PATCH' } });
      const key = randomUUID();
      expect((await patch('Not now', key)).body.data.status).toBe(429);
      const other = await patch('Another name', key);
      expect([other.status, other.body.data?.status, nameOfVendor()]).toEqual([200, 200, 'Another name']);
      expect((await patch('Another name', key)).headers.get('Idempotent-Replayed')).toBe('true');
      expect((await patch('A third name', key)).status).toBe(409);
    });

    it('leaves its key free for another request where the platform could not be reached', async () => {
      const gone = await startUnlimited();
      const { customerId } = await service.openLive(gone);
      const { key } = await service.app
        .get(ApiKeysService, { strict: false })
        .issue(customerId, 'live', { permissions: ['passthrough'] });
      await gone.close();
      const { company_id } = gone.credentials;
      const create = (name: string) =>
        api(service.url, key).post(
          '/platforms/platform_a/request',
          { method: 'POST', path: VENDORS, query: { company_id }, body: { company_id, vendor: { name } } },
          { 'Idempotency-Key': 'one-key' },
        );
      expect((await create('First')).status).toBe(502);
      expect((await create('Second')).status).toBe(502);
    });

    it('that still runs is not called lost when its lease has ended', async () => {
      const [key, sent] = [randomUUID(), writes()];
      fault({ kind: 'delay', ms: 3_000, match: { method: 'PATCH', path: VENDORS } });
      const first = patch('Still running', key);
      while ((await requests())[0]?.state !== 'sent') await sleep(10);
      // As renewals leave it that fail during an outage of the database, or on a machine that stood still.
      await database.query(
        `update idempotency_keys set lease_until = now() - interval '1 second' where key = $1`,
        [key],
      );
      const meanwhile = await patch('Still running', key);
      expect([meanwhile.status, meanwhile.body.error.message]).toEqual([
        409,
        expect.stringContaining('still under way') as unknown,
      ]);
      expect((await first).body.data.status).toBe(200);
      expect((await patch('Still running', key)).headers.get('Idempotent-Replayed')).toBe('true');
      expect(writes()).toBe(sent + 1);
    });

    it('is not sent again after the instance that sent it is gone', async () => {
      const [key, sent] = [randomUUID(), writes()];
      await patch('Before the end', key);
      // As a kill between the platform's answer and the commit leaves it.
      await database.query(
        `update idempotency_keys set status = null, body = null, lease_until = now() - interval '1 second' where key = $1`,
        [key],
      );
      await database.query(
        `update passthrough_requests set state = 'sent', status = null, answered_at = null
         where id = (select subject::uuid from idempotency_keys where key = $1)`,
        [key],
      );
      expect((await patch('Before the end', key)).status).toBe(409);
      // Nor when its record is kept no more.
      await database.query(
        `delete from passthrough_requests where id = (select subject::uuid from idempotency_keys where key = $1)`,
        [key],
      );
      expect((await patch('Before the end', key)).status).toBe(409);
      expect(writes()).toBe(sent + 1);
    });

    it('is done once by many equal requests', async () => {
      const [key, sent] = [randomUUID(), writes()];
      const answers = await Promise.all(Array.from({ length: 12 }, () => patch('Together', key)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      expect(writes()).toBe(sent + 1);
    });
  });

  describe('refuses', () => {
    it.each([
      ['a host', { path: 'https://evil.example/rest/v1.0/vendors' }],
      ['a path that climbs', { path: '/rest/v1.0/../../oauth/token' }],
      ['an escaped climb', { path: '/rest/%2e%2e/oauth' }],
      ['another API', { path: '/oauth/token' }],
      ['another company', { path: '/rest/v2.0/companies/1/projects' }],
      ['another company in the query', { query: { company_id: '1' } }],
      ['the credentials', { headers: { Authorization: 'Bearer x' } }],
      ['the company header', { headers: { 'Procore-Company-Id': '1' } }],
      ['a hop-by-hop header', { headers: { Connection: 'close' } }],
      ['another method in disguise', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
      ['two spellings of a header', { headers: { Accept: 'a', accept: 'b' } }],
      ['a line break in a header', { headers: { Accept: 'a\r\nX-Evil: 1' } }],
      ['a body of a GET', { body: {} }],
      ['an unknown method', { method: 'TRACE' }],
      ['an object in the query', { query: { a: { b: 1 } } }],
      ['half a character', { query: { a: '\ud800' } }],
      ['too many parameters', { query: { a: Array.from({ length: 101 }, () => 1) } }],
    ])('%s', async (_, change) => {
      const before = a.control.log.list().length;
      const answer = await ask('platform_a', { method: 'GET', path: VENDORS, ...change });
      expect([answer.status, answer.body.error.type]).toEqual([400, 'VALIDATION_ERROR']);
      expect(a.control.log.list()).toHaveLength(before);
    });

    it('a key without the permission, naming it', async () => {
      const usual = api(service.url, caller.key);
      const answer = await usual.post('/platforms/platform_a/request', { method: 'GET', path: VENDORS });
      expect([answer.status, answer.body.error.message]).toEqual([
        403,
        'The key does not have the permission passthrough',
      ]);
    });

    it('a sandbox', async () => {
      const other = await service.issueKey('live', ['passthrough', 'write']);
      const answer = await api(service.url, other.key).post('/platforms/platform_a/request', {
        method: 'GET',
        path: VENDORS,
      });
      expect([answer.status, answer.body.error.message]).toEqual([
        409,
        expect.stringContaining('sandbox') as unknown,
      ]);
    });

    it('an unknown platform', async () => {
      expect((await ask('platform_c', { method: 'GET', path: '/x' })).status).toBe(404);
    });
  });

  it('takes no token to an address that it was not given for', async () => {
    const other = await startUnlimited();
    try {
      const moved = await service.openLive(a);
      const { key } = await service.app
        .get(ApiKeysService, { strict: false })
        .issue(moved.customerId, 'live', { permissions: ['passthrough'] });
      const look = async () => {
        const body = { method: 'GET', path: VENDORS, query: { company_id: company } };
        return (await api(service.url, key).post('/platforms/platform_a/request', body)).body.data?.status;
      };
      expect(await look()).toBe(200);
      const { company_id, client_id, client_secret } = other.credentials;
      await service.app
        .get(CredentialsService, { strict: false })
        .set(
          moved.customerId,
          'platform_a',
          { login_url: other.loginUrl, api_url: other.apiUrl, company_id, client_id },
          new Secrets({ client_secret }),
        );
      other.control.log.clear();
      expect(await look()).toBe(200);
      expect(other.control.log.list(/vendors/).map(({ status }) => status)).toEqual([200]);
    } finally {
      await other.close();
    }
  });

  describe('on platform_b', () => {
    it('stands below the company', async () => {
      const answer = await ask('platform_b', {
        method: 'GET',
        path: '/customers',
        query: { $top: 1, $select: 'id,displayName' },
      });
      expect(answer.body.data.status).toBe(200);
      expect(answer.body.data.body.value).toHaveLength(1);
    });

    it('writes with the entity tag of the caller', async () => {
      const [customer] = b.control.records('customers');
      const path = `/customers(${textOf(customer, 'id')})`;
      const { body } = await ask('platform_b', { method: 'GET', path });
      const change = (tag: string) =>
        ask(
          'platform_b',
          { method: 'PATCH', path, headers: { 'If-Match': tag }, body: { website: 'https://x.example' } },
          randomUUID(),
        );
      expect((await change('W/"stale"')).body.data.status).toBeGreaterThanOrEqual(400);
      expect((await change(body.data.body['@odata.etag'])).body.data).toMatchObject({
        status: 200,
        body: { website: 'https://x.example' },
      });
    });
  });

  describe('GET /platforms/{platform}/requests', () => {
    it('shows the requests in pages, newest first, and nothing of another customer', async () => {
      for (const name of ['One', 'Two', 'Three']) await patch(name, randomUUID());
      const all = await requests();
      const first = await client.get('/platforms/platform_a/requests?limit=2');
      const elsewhere = `/platforms/platform_b/requests?cursor=${first.body.next_cursor}`;
      expect((await client.get(elsewhere)).status).toBe(400);
      const second = await client.get(
        `/platforms/platform_a/requests?limit=2&cursor=${first.body.next_cursor}`,
      );
      expect([...first.body.data, ...second.body.data]).toEqual(all.slice(0, 4));
      const other = await service.issueKey('live');
      expect((await api(service.url, other.key).get('/platforms/platform_a/requests')).body.data).toEqual([]);
    });

    it('keeps them as long as history', async () => {
      const retention = service.app.get(PassthroughRetention, { strict: false });
      const before = (await requests()).length;
      await retention.purge(new Date(0));
      expect(await requests()).toHaveLength(before);
      await retention.purge(new Date(Date.now() + 60_000));
      expect(await requests()).toEqual([]);
    });
  });
});
