import { SimulatedClock } from '../server';
import { Caller, jsonOf, objectOf, textIn, type ApiResponse } from '../testing/caller';
import { startPlatformA, type PlatformAOptions, type RunningPlatformA } from '.';

let platform: RunningPlatformA;
let caller: Caller;

async function start(options: PlatformAOptions = {}): Promise<void> {
  const clock = new SimulatedClock({ factor: 0, start: new Date('2026-11-02T08:00:00Z') });
  platform = await startPlatformA({ clock, ...options });
  caller = await new Caller(platform).login();
}
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const projects = '/rest/v1.1/projects?company_id=77410';
const contracts = '/rest/v1.0/work_order_contracts?project_id=341276';
const redirect = 'https://service.example/callback';

const client = (): { client_id: string; client_secret: string } => ({
  client_id: platform.credentials.client_id,
  client_secret: platform.credentials.client_secret,
});

async function authorised(): Promise<ApiResponse> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client().client_id,
    redirect_uri: redirect,
    state: 'kept',
  });
  const answer = await fetch(`${platform.loginUrl}/oauth/authorize?${query.toString()}`, {
    redirect: 'manual',
  });
  const target = new URL(answer.headers.get('location') ?? '');
  expect(target.searchParams.get('state')).toBe('kept');
  return caller.post('/oauth/token', {
    grant_type: 'authorization_code',
    code: target.searchParams.get('code') ?? '',
    redirect_uri: redirect,
    ...client(),
  });
}
const refresh = (token: string): Promise<ApiResponse> =>
  caller.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...client() });

describe('tokens', () => {
  beforeEach(() => start());

  it('are given for client credentials, as JSON, form or form-data, without a refresh token', async () => {
    const fields = { grant_type: 'client_credentials', ...client() };
    const answer = await caller.post('/oauth/token', fields);
    expect(answer.status).toBe(200);
    expect(objectOf(answer)).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 5400,
      created_at: Date.parse('2026-11-02T08:00:00Z') / 1000,
    });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    for (const body of [new URLSearchParams(fields), form]) {
      expect((await fetch(`${platform.loginUrl}/oauth/token`, { method: 'POST', body })).status).toBe(200);
    }
  });

  it('are refused to others', async () => {
    const answer = await caller.post('/oauth/token', {
      grant_type: 'client_credentials',
      ...client(),
      client_secret: 'wrong',
    });
    expect([answer.status, objectOf(answer)['error']]).toEqual([401, 'invalid_client']);
    const other = await caller.post('/oauth/token', { grant_type: 'password', ...client() });
    expect([other.status, objectOf(other)['error']]).toEqual([400, 'unsupported_grant_type']);
    expect((await fetch(`${platform.apiUrl}/oauth/token`, { method: 'POST' })).status).toBe(401);
  });

  it('end after 90 minutes, or when told to', async () => {
    expect((await caller.get(projects)).status).toBe(200);
    platform.control.clock.advance(5_399_000);
    expect((await caller.get(projects)).status).toBe(200);
    platform.control.clock.advance(1_000);
    const refused = await caller.get(projects);
    expect([refused.status, jsonOf(refused)]).toEqual([401, { errors: 'Unauthorized' }]);
    await caller.login();
    platform.control.edit('expire_tokens');
    expect((await caller.get(projects)).status).toBe(401);
    platform.control.switches.set('unauthorizedBody', 'text');
    expect((await caller.get(projects)).text).toBe('The access token is invalid');
    caller.use('never given');
    expect((await caller.get(projects)).status).toBe(401);
  });

  it('are refreshed once, and the refresh token is used up even if the answer is lost', async () => {
    const granted = objectOf(await authorised());
    const refreshed = await refresh(textIn(granted, 'refresh_token'));
    expect(refreshed.status).toBe(200);
    const again = await refresh(textIn(granted, 'refresh_token'));
    expect([again.status, objectOf(again)['error']]).toEqual([401, 'invalid_grant']);
    expect(textIn(objectOf(again), 'error_description')).toMatch(
      /^The provided authorization grant is invalid/,
    );

    const next = textIn(objectOf(refreshed), 'refresh_token');
    platform.control.faults.add({ match: { path: '/oauth/token' }, kind: 'reset_after' });
    await expect(refresh(next)).rejects.toThrow();
    platform.control.switches.set('invalidGrantStatus', 400);
    expect((await refresh(next)).status).toBe(400);
  });

  it('are refreshed never again after a refresh with a wrong secret', async () => {
    const token = textIn(objectOf(await authorised()), 'refresh_token');
    const refused = {
      grant_type: 'refresh_token',
      refresh_token: token,
      ...client(),
      client_secret: 'wrong',
    };
    expect((await caller.post('/oauth/token', refused)).status).toBe(401);
    expect(objectOf(await refresh(token))['error']).toBe('invalid_grant');
  });

  it('come of a code once, within ten minutes and for the same address', async () => {
    const query = `response_type=code&client_id=${client().client_id}&redirect_uri=urn:ietf:wg:oauth:2.0:oob`;
    const codeOf = async (): Promise<string> =>
      (await fetch(`${platform.loginUrl}/oauth/authorize?${query}`)).text();
    const exchange = (code: string, address = 'urn:ietf:wg:oauth:2.0:oob'): Promise<ApiResponse> =>
      caller.post('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: address,
        ...client(),
      });
    const code = await codeOf();
    expect((await exchange(code)).status).toBe(200);
    expect((await exchange(code)).status).toBe(401);
    expect((await exchange(await codeOf(), redirect)).status).toBe(401);
    const late = await codeOf();
    platform.control.clock.advance(600_000);
    expect((await exchange(late)).status).toBe(401);
  });

  it('show how long they live, and end with a revocation', async () => {
    const granted = objectOf(await authorised());
    const access = textIn(granted, 'access_token');
    platform.control.clock.advance(400_000);
    const info = await fetch(`${platform.loginUrl}/oauth/token/info`, {
      headers: { authorization: `Bearer ${access}` },
    });
    expect(await info.json()).toMatchObject({ expires_in: 5000 });
    expect((await caller.post('/oauth/revoke', { token: 'unknown', ...client() })).status).toBe(200);
    expect((await caller.post('/oauth/revoke', { token: access, ...client() })).status).toBe(200);
    caller.use(access);
    expect((await caller.get(projects)).status).toBe(401);
    expect((await refresh(textIn(granted, 'refresh_token'))).status).toBe(401);
  });
});

describe('the company', () => {
  beforeEach(() => start());
  const without = { 'procore-company-id': '' };

  it('must be named in the header, but for two paths', async () => {
    const answer = await caller.call('GET', contracts, undefined, without);
    expect([answer.status, answer.text.startsWith('Missing Procore-Company-Id header!')]).toEqual([
      404,
      true,
    ]);
    expect((await caller.call('GET', projects, undefined, without)).status).toBe(400);
    platform.control.switches.setAll({ projectHeaderMissingStatus: 400, companyHeaderMissingStatus: 404 });
    expect((await caller.call('GET', contracts, undefined, without)).status).toBe(400);
    expect((await caller.call('GET', projects, undefined, without)).status).toBe(404);
    for (const path of ['/rest/v1.0/me', '/rest/v1.0/companies']) {
      expect((await caller.call('GET', path, undefined, without)).status).toBe(200);
    }
  });

  it('must be the one that has the app', async () => {
    const body = { errors: ['App is not connected to this company.'] };
    const foreign = await caller.call('GET', contracts, undefined, { 'procore-company-id': '1' });
    expect([foreign.status, jsonOf(foreign)]).toEqual([403, body]);
    expect((await caller.get('/rest/v1.1/projects?company_id=1')).status).toBe(403);
    platform.control.edit('connect_app', { connected: false });
    expect((await caller.get(projects)).status).toBe(403);
    expect(jsonOf(await caller.get('/rest/v1.0/companies'))).toEqual([]);
  });

  it('must be in the query or body as well', async () => {
    expect((await caller.get('/rest/v1.1/projects')).status).toBe(400);
    expect((await caller.get('/rest/v1.0/vendors')).status).toBe(400);
    const created = await caller.call('POST', '/rest/v1.0/vendors?company_id=77410', {
      vendor: { name: 'New' },
    });
    expect(created.status).toBe(400);
  });
});

describe('a project', () => {
  beforeEach(() => start());

  it('must be named where the operation needs it', async () => {
    expect((await caller.get('/rest/v1.0/work_order_contracts')).status).toBe(400);
    expect((await caller.get('/rest/v1.0/contract_payments?project_id=341276')).status).toBe(400);
    expect((await caller.get('/rest/v1.0/work_order_contracts?project_id=999')).status).toBe(404);
    const body = { work_order_contract: { title: 'New' } };
    expect(
      (await caller.call('POST', '/rest/v1.0/work_order_contracts?project_id=341276', body)).status,
    ).toBe(400);
  });

  it('must be one that the account was added to', async () => {
    platform.control.edit('permit_projects', { project_ids: [341289] });
    expect((await caller.get(contracts)).status).toBe(403);
    expect((await caller.get('/rest/v1.0/projects/341276?company_id=77410')).status).toBe(403);
    expect((await caller.pages(projects)).rows.map(({ id }) => id)).toEqual([341289]);
    platform.control.edit('permit_projects', { project_ids: null });
    expect((await caller.get(contracts)).status).toBe(200);
  });

  it('must have the tool', async () => {
    platform.control.edit('switch_tool', { project_id: 341276, tool: 'commitments' });
    platform.control.edit('switch_tool', { project_id: 341276, tool: 'invoicing', status: 404 });
    expect((await caller.get(contracts)).status).toBe(403);
    expect((await caller.get('/rest/v1.1/requisitions?project_id=341276')).status).toBe(404);
    expect((await caller.get('/rest/v1.0/work_order_contracts?project_id=341289')).status).toBe(200);
    platform.control.edit('switch_tool', { project_id: 341276, tool: 'commitments', on: true });
    expect((await caller.get(contracts)).status).toBe(200);
    platform.control.switches.set('toolOffStatus', 404);
    platform.control.edit('switch_tool', { project_id: 341276, tool: 'commitments' });
    expect((await caller.get(contracts)).status).toBe(404);
  });
});

describe('the limits', () => {
  const limitsOf = ({ headers }: ApiResponse): (string | null)[] => [
    headers.get('x-rate-limit-limit'),
    headers.get('x-rate-limit-remaining'),
    headers.get('x-rate-limit-reset'),
  ];
  const second = (iso: string): string => String(Date.parse(iso) / 1000);

  it('let 25 requests through in ten seconds, count refused ones, and show the nearer limit', async () => {
    await start();
    const first = await caller.get(projects);
    expect(limitsOf(first)).toEqual(['25', '24', second('2026-11-02T08:00:10Z')]);
    platform.control.clock.advance(3_000);
    expect(limitsOf(await caller.get('/rest/v1.0/nothing'))[1]).toBe('23');
    for (let call = 0; call < 23; call += 1) await caller.get(projects);
    const refused = await caller.get(projects);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect(limitsOf(refused)).toEqual(['25', '0', second('2026-11-02T08:00:10Z')]);
    platform.control.clock.advance(6_999);
    expect((await caller.get(projects)).status).toBe(429);
    platform.control.clock.advance(1);
    expect((await caller.get(projects)).status).toBe(200);
  });

  it('let 600 requests through in an hour', async () => {
    await start({ switches: { spikeLimit: 0 } });
    platform.control.edit('spend_requests', { count: 599 });
    const last = await caller.get(projects);
    expect([last.status, ...limitsOf(last)]).toEqual([200, '600', '0', second('2026-11-02T09:00:00Z')]);
    expect((await caller.get(projects)).status).toBe(429);
    platform.control.clock.advance(3_600_000);
    expect((await caller.login().then(() => caller.get(projects))).status).toBe(200);
  });

  it('are counted for each company', async () => {
    await start({ switches: { spikeLimit: 1 } });
    expect((await caller.call('GET', projects, undefined, { 'procore-company-id': '5' })).status).toBe(403);
    expect((await caller.get(projects)).status).toBe(200);
    expect((await caller.get(projects)).status).toBe(429);
  });

  it('may roll, and may name the time to wait', async () => {
    await start({
      switches: { spikeLimit: 2, rateWindows: 'rolling', retryAfterOn429: true, rateLimitBody: 'text' },
    });
    await caller.get(projects);
    platform.control.clock.advance(6_000);
    await caller.get(projects);
    platform.control.clock.advance(4_000);
    expect((await caller.get(projects)).status).toBe(200);
    const refused = await caller.get(projects);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6']);
    expect(refused.text).toMatch(/^You have surpassed/);
  });
});

it('names each request, has no etag, and refuses paths and methods that it does not have', async () => {
  await start();
  const answer = await caller.get(projects);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('etag')).toBeNull();
  expect(answer.headers.get('date')).toBe('Mon, 02 Nov 2026 08:00:00 GMT');
  expect((await caller.get('/rest/v1.0/other')).status).toBe(404);
  expect((await caller.call('DELETE', projects)).status).toBe(405);
});
