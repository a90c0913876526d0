import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { EventFeed } from '../../../src/records/events/event-feed';
import { HostResolver } from '../../../src/webhook-endpoints/address/endpoint-addresses';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { MOST_ENDPOINTS } from '../../../src/webhook-endpoints/webhook-endpoints.repository';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { isVerified, startReceiver } from '../../support/http/webhook-receiver';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const url = 'https://93.184.215.14/hook';
const off = { url, enabled: false };
const nobodys = '3c5d2c1e-5f7f-4a5b-9a57-0d3b9c7f1e11';

describe('/webhook-endpoints', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    app = await startApp({ credentialsKeys: [masterKey('hooks')], webhookAllowedNetworks: ['127.0.0.0/8'] });
    Object.assign(app.app.get(DeliveryTimes, { strict: false }), { poll: 20 });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    client = api(app.url, (await app.issueKey('test')).key);
  });

  const create = async (body: object = off) => {
    const { body: answer } = await client.post('/webhook-endpoints', body);
    return answer.data as { id: string; secret: string };
  };

  it('shows the secret once', async () => {
    const made = await client.post('/webhook-endpoints', {
      ...off,
      types: ['case.opened'],
      description: 'Ours',
    });
    expect(made.status).toBe(200);
    const { secret, ...shown } = made.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.any(String),
      url,
      types: ['case.opened'],
      description: 'Ours',
      enabled: false,
      disabled_reason: null,
      created_at: expect.any(String),
      failing_since: null,
      waiting: 0,
    });
    expect((await client.get('/webhook-endpoints')).body.data).toEqual([shown]);
    expect((await client.get(`/webhook-endpoints/${shown.id}`)).body.data).toEqual(shown);
    const rotated = await client.post(`/webhook-endpoints/${shown.id}/rotate`, {});
    expect(rotated.body.data).toEqual({ ...shown, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.body.data.secret).not.toBe(secret);
  });

  it('changes what is given', async () => {
    const { id } = await create();
    const changed = await client.send('PATCH', `/webhook-endpoints/${id}`, {
      body: { types: ['run.completed'] },
    });
    expect(changed.body.data).toMatchObject({ url, types: ['run.completed'], enabled: false });
    expect(
      (await client.send('PATCH', `/webhook-endpoints/${id}`, { body: { url: 'https://1.1.1.1' } })).body
        .data,
    ).toMatchObject({ url: 'https://1.1.1.1/', types: ['run.completed'] });
  });

  it('takes null for no description, and clears one by it', async () => {
    const { id } = await create({ ...off, description: 'Ours' });
    const changed = await client.send('PATCH', `/webhook-endpoints/${id}`, { body: { description: null } });
    expect([changed.status, changed.body.data?.description]).toEqual([200, null]);
    const made = await client.post('/webhook-endpoints', { ...off, description: null });
    expect([made.status, made.body.data?.description]).toEqual([200, null]);
  });

  it.each([
    ['a loopback address', { url: 'https://[::1]/' }],
    ['a decimal host', { url: 'https://167772161/' }],
    ['the metadata of a cloud', { url: 'https://169.254.169.254/latest' }],
    ['a user name', { url: 'https://user:word@1.1.1.1/' }],
    ['no encryption', { url: 'http://1.1.1.1/' }],
    ['another protocol', { url: 'gopher://1.1.1.1/' }],
    ['no address', {}],
    ['an unknown type', { url, types: ['object.*'] }],
    ['too long a description', { url, description: 'x'.repeat(501) }],
  ])('refuses %s', async (_what, body) => {
    expectError(await client.post('/webhook-endpoints', body), 400, 'VALIDATION_ERROR');
  });

  it('lets a demo session have endpoints only where the operator allows it', async () => {
    const visitor = api(app.url, (await app.openSession()).key);
    const message =
      'A demo session has webhook endpoints only in networks that the operator allows (WEBHOOK_ALLOWED_NETWORKS)';
    expectError(await visitor.post('/webhook-endpoints', off), 403, 'AUTHORIZATION_ERROR', message);
    const allowed = await visitor.post('/webhook-endpoints', { ...off, url: 'http://127.0.0.1:9/hook' });
    expect(allowed.status).toBe(200);
    const path = `/webhook-endpoints/${allowed.body.data.id as string}`;
    expectError(await visitor.send('PATCH', path, { body: { url } }), 403, 'AUTHORIZATION_ERROR', message);
    expect((await visitor.send('PATCH', path, { body: { types: ['run.completed'] } })).status).toBe(200);
  });

  it('sends a demo session’s events nowhere else when a host leads elsewhere later', async () => {
    const visitor = api(app.url, (await app.openSession()).key);
    const resolve = jest.spyOn(app.app.get(HostResolver, { strict: false }), 'resolve');
    resolve.mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }]);
    // An address for documentation would be refused to all; this one is public.
    resolve.mockResolvedValue([{ address: '93.184.215.14', family: 4 }]);
    try {
      const made = await visitor.post('/webhook-endpoints', { url: 'https://hooks.example/' });
      expect(made.status).toBe(200);
      await visitor.post('/connect', { platform: 'platform_a' });
      const attempts = async () =>
        (await visitor.get(`/webhook-endpoints/${made.body.data.id as string}/deliveries?limit=1`)).body.data;
      while ((await attempts()).length === 0) await sleep(20);
      expect((await attempts())[0]).toMatchObject({
        outcome: 'failed',
        status: null,
        error: 'The address leads to a network that demo sessions may not reach',
      });
    } finally {
      resolve.mockRestore();
    }
  });

  it('sends all since a time again once a minute at most, to each endpoint', async () => {
    const [one, other] = [await create({ url }), await create({ url })];
    const resend = ({ id }: { id: string }) =>
      client.post(`/webhook-endpoints/${id}/resend`, { since: '2026-01-01' });
    expect((await resend(one)).status).toBe(200);
    const search = jest.spyOn(app.app.get(EventFeed, { strict: false }), 'placeOf');
    const again = await resend(one);
    expectError(again, 409, 'CONFLICT_ERROR');
    expect(search).not.toHaveBeenCalled();
    search.mockRestore();
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await resend(other)).status).toBe(200);
    const database = new Client({ connectionString: app.databaseUrl });
    await database.connect();
    await database.query(
      `update webhook_endpoints set rewound_at = rewound_at - interval '1 minute' where id = $1`,
      [one.id],
    );
    await database.end();
    expect((await resend(one)).status).toBe(200);
  });

  it('lets a customer have so many, also when they are registered at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: MOST_ENDPOINTS + 3 }, () => client.post('/webhook-endpoints', off)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MOST_ENDPOINTS);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  it('is for keys that may administer, and for endpoints of their customer', async () => {
    const { id } = await create();
    const reader = api(app.url, (await app.issueKey('test', ['read', 'write', 'decide'])).key);
    const stranger = api(app.url, (await app.issueKey('test')).key);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', off],
      ['GET', `/${id}`, undefined],
      ['PATCH', `/${id}`, {}],
      ['DELETE', `/${id}`, {}],
      ['POST', `/${id}/rotate`, {}],
      ['GET', `/${id}/deliveries`, undefined],
      ['POST', `/${id}/resend`, { since: '2026-01-01' }],
    ] as const) {
      const call = (caller: typeof client, of: string = path) =>
        caller.send(method, `/webhook-endpoints${of}`, body === undefined ? {} : { body });
      expectError(await call(reader), 403, 'AUTHORIZATION_ERROR');
      if (path === '') continue;
      expectError(await call(stranger), 404, 'NOT_FOUND');
      for (const other of [nobodys, 'none'])
        expectError(await call(client, path.replace(id, other)), 404, 'NOT_FOUND');
    }
    expect((await client.get(`/webhook-endpoints/${id}`)).status).toBe(200);
    expect((await client.send('DELETE', `/webhook-endpoints/${id}`, { body: {} })).status).toBe(204);
    expect((await client.get(`/webhook-endpoints/${id}`)).status).toBe(404);
  });

  it('refuses to send again what nobody knows, or to an endpoint that is off', async () => {
    const { id } = await create();
    const resend = (body: object) => client.post(`/webhook-endpoints/${id}/resend`, body);
    for (const body of [{}, { event_id: 'evt_1', since: '2026-01-01' }, { since: 'yesterday' }])
      expectError(await resend(body), 400, 'VALIDATION_ERROR');
    expectError(await resend({ event_id: 'evt_0000000000000000_1' }), 404, 'NOT_FOUND');
    expectError(await resend({ since: '2026-01-01' }), 409, 'CONFLICT_ERROR');
  });

  it('asks for the host once, goes where that leads, and nowhere when it leads elsewhere later', async () => {
    const session = await app.openSession();
    client = api(app.url, session.key);
    const receiver = await startReceiver();
    const resolve = jest.spyOn(app.app.get(HostResolver, { strict: false }), 'resolve');
    const leadsTo = (address: string) => void resolve.mockResolvedValueOnce([{ address, family: 4 }]);
    resolve.mockResolvedValue([{ address: '169.254.169.254', family: 4 }]);
    leadsTo('127.0.0.1');
    const { id, secret } = await create({ url: receiver.url.replace('127.0.0.1', 'hooks.example') });
    await client.post('/connect', { platform: 'platform_a' });
    const attempts = async () => (await client.get(`/webhook-endpoints/${id}/deliveries?limit=1`)).body;
    while ((await attempts()).data.length === 0) await new Promise(setImmediate);
    expect((await attempts()).data).toMatchObject([
      { outcome: 'failed', status: null, error: 'The address leads to a network that is not public' },
    ]);
    expect(receiver.deliveries).toEqual([]);
    const before = resolve.mock.calls.length;
    resolve.mockReset().mockResolvedValue([{ address: '127.0.0.1', family: 4 }]);
    await client.send('PATCH', `/webhook-endpoints/${id}`, { body: { enabled: false } });
    await client.send('PATCH', `/webhook-endpoints/${id}`, { body: { enabled: true } });
    await receiver.until(30);
    expect(before).toBeGreaterThan(0);
    expect(receiver.deliveries.every((delivery) => isVerified(secret, delivery))).toBe(true);
    expect(receiver.deliveries[0]?.headers.host).toMatch(/^hooks\.example:/);
    while ((await attempts()).next_cursor === null) await new Promise(setImmediate);
    const page = await attempts();
    const next = await client.get(`/webhook-endpoints/${id}/deliveries?limit=1&cursor=${page.next_cursor}`);
    expect(next.body.data[0].number).toBe(page.data[0].number - 1);
    await client.send('DELETE', `/webhook-endpoints/${id}`, { body: {} });
    resolve.mockRestore();
    await receiver.close();
  });
});
