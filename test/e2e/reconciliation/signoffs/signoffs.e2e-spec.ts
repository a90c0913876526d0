import { randomUUID } from 'node:crypto';
import { api } from '../../../support/app/api';
import { startApp, type RunningApp } from '../../../support/app/app';
import { decide, withdraw as withdrawDecision } from '../../../support/customers/deciding';
import { expectError } from '../../../support/app/expectations';
import { GivenRecords, record } from '../../../support/platforms/given-records';
import { connect } from '../../../support/customers/listings';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

/** Amounts and dates of payments by check number. */
type Payments = Readonly<Record<string, readonly [amount: number, date: string]>>;

const JUNE = '2026-06-30';
const signoffs = '/reconciliation/signoffs';
const unknownId = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924';
const ending = { reason: 'Signed too early', decided_by: 'Ada' };

describe('sign-offs of statements', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
  });
  afterAll(() => service.close());

  async function open(onA: Payments, onB: Payments) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, payments: Payments) => {
      sources.give(
        customerId,
        platform,
        Object.entries(payments).map(([check, [amount, date]]) =>
          platform === a
            ? record('payment', {
                id: Number(check),
                amount: amount.toFixed(2),
                check_number: `CHK-${check}`,
                date,
              })
            : record('payment', {
                id: `b${check}`,
                amount: -amount,
                currencyCode: 'USD',
                externalDocumentNumber: `CHK-${check}`,
                postingDate: date,
              }),
        ),
      );
      await connect(client, platform);
    };
    await read(a, onA);
    await read(b, onB);
    const statement = async (query = ''): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation?currency=USD${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const sign = (
      { as_of, currency, digest, through }: Body,
      role: string,
      signed_by: string,
      more: object = {},
      headers?: Record<string, string>,
    ) =>
      client.post(
        signoffs,
        { as_of, currency, digest, role, signed_by, ...(through !== null && { through }), ...more },
        headers,
      );
    const signed = async (of: Body, role: string, name: string, more: object = {}): Promise<Body> => {
      const { status, body } = await sign(of, role, name, more);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const list = async (query = ''): Promise<Body[]> => {
      const { status, body } = await client.get(`${signoffs}${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const one = async (id: string): Promise<Body> => (await client.get(`${signoffs}/${id}`)).body.data;
    const withdraw = (id: string, body: object = ending) =>
      client.send('DELETE', `${signoffs}/${id}`, { body });
    /** The figures that are not as they were signed, in short. */
    const changes = async (id: string): Promise<readonly unknown[]> =>
      (await one(id)).changes.map(({ part, line, platform, before, after }: Body) => [
        [part, line, platform].filter((word) => word !== null).join(' '),
        [before.count, before.amount?.amount],
        [after.count, after.amount?.amount],
      ]);
    return { client, key, read, statement, sign, signed, list, one, withdraw, changes };
  }

  const pair: Payments = { 1: [10, '2026-06-01'] };
  const other: Payments = { 1: [30, '2026-06-01'] };

  const refused = ({ status, body }: Body): readonly unknown[] => [
    status,
    body.error?.type,
    body.error?.message,
  ];

  it('bind two names to the figures of a statement', async () => {
    const { statement, signed, list, one } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    const prepared = await signed(june, 'prepared', 'Ada', { note: 'As agreed' });
    const reviewed = await signed(june, 'reviewed', 'Bob');
    expect(prepared).toEqual({
      id: expect.any(String),
      role: 'prepared',
      signed_by: 'Ada',
      note: 'As agreed',
      signed_at: expect.any(String),
      state: 'standing',
      withdrawn: null,
      as_of: june.as_of,
      through: JUNE,
      platforms: [a, b],
      entity_type: null,
      project_id: null,
      currency: 'USD',
      digest: june.digest,
      current: true,
      changes: [],
      changes_total: 0,
      compared: { as_of: expect.any(String), complete: true },
      figures: expect.any(Array),
    });
    expect(prepared.figures).toContainEqual({
      entity_type: 'payment',
      part: 'totals',
      line: 'amounts_disagree',
      platform: null,
      count: 1,
      amount: { amount: 2000, currency: 'USD' },
    });
    expect(prepared.figures).toContainEqual({
      entity_type: 'payment',
      part: 'counts',
      line: 'disagree',
      platform: null,
      count: 1,
      amount: null,
    });
    expect((await list()).map(({ id, current, figures }) => [id, current, figures])).toEqual([
      [reviewed.id, true, undefined],
      [prepared.id, true, undefined],
    ]);
    const { compared, ...kept } = await one(prepared.id);
    expect({ ...kept, compared: prepared.compared }).toEqual(prepared);
    expect(compared.complete).toBe(true);
  });

  it('take null for what a statement shows as null', async () => {
    const { statement, signed } = await open(pair, other);
    const nothing = { through: null, entity_type: null, project_id: null, note: null };
    const whole = await statement();
    expect(whole.through).toBeNull();
    expect(await signed(whole, 'prepared', 'Ada', nothing)).toMatchObject({
      ...nothing,
      digest: whole.digest,
    });
  });

  it('are those of the statement of one type, of any currency and pair that the request names', async () => {
    const { statement, signed, sign } = await open(pair, other);
    const scope = { entity_type: 'payment', platforms: 'platform_b,platform_a' };
    const payments = await statement('&entity_type=payment');
    expect(await signed(payments, 'prepared', 'Ada', scope)).toMatchObject({
      entity_type: 'payment',
      platforms: [a, b],
      current: true,
    });
    const [status, type] = refused(await sign(payments, 'prepared', 'Ada'));
    expect([status, type]).toEqual([409, 'CONFLICT_ERROR']);
    const unknown = await sign(payments, 'prepared', 'Ada', { project_id: 'proj_0000000000000000' });
    expect(unknown.status).toBe(404);
  });

  it('are refused with another digest, or of an incomplete statement', async () => {
    const { read, statement, sign, client } = await open(pair, other);
    const before = await statement();
    await read(b, pair);
    const after = await statement();
    const { status, body } = await sign({ ...after, digest: before.digest }, 'prepared', 'Ada');
    expect([status, body.error.type, body.error.details]).toEqual([
      409,
      'CONFLICT_ERROR',
      { digest: after.digest },
    ]);
    expect(body.error.message).toContain(after.digest);
    // What was true then is still to be signed.
    expect((await sign(before, 'prepared', 'Ada')).status).toBe(200);
    const future = await sign({ ...after, as_of: '2999-01-01' }, 'prepared', 'Ada');
    expect(future.status).toBe(400);
    const { key } = await service.openSession();
    const half = api(service.url, key);
    await half.post('/connect', { platform: a });
    const { data } = (await half.get('/reconciliation?currency=USD')).body;
    const incomplete = await half.post(signoffs, {
      as_of: data.as_of,
      currency: 'USD',
      digest: data.digest,
      role: 'prepared',
      signed_by: 'Ada',
    });
    expect([incomplete.status, incomplete.body.error.details]).toEqual([409, { reasons: ['not_connected'] }]);
    expect(incomplete.body.error.message).toContain('platform_b is not connected');
    for (const wrong of [
      {},
      { role: 'approved' },
      { digest: 'sha256:0' },
      { signed_by: ' ' },
      { through: '2026-06' },
      { currency: 'usd' },
    ])
      expect(
        (
          await client.post(signoffs, {
            ...{ as_of: after.as_of, currency: 'USD', digest: after.digest, role: 'prepared' },
            ...wrong,
          })
        ).status,
      ).toBe(400);
  });

  it('of a reviewer need those of a preparer with another name', async () => {
    const { statement, sign, signed, withdraw } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    expect(refused(await sign(june, 'reviewed', 'Bob'))).toEqual([
      409,
      'CONFLICT_ERROR',
      'Nobody has prepared a statement with this digest',
    ]);
    const { id } = await signed(june, 'prepared', 'Ada Lovelace');
    // Names are compared as keys are.
    const unseen = ['Ada Lovelace\u200f', 'Ada\u200b Lovelace', '\u202aAda Love\u00adlace\u202c'];
    for (const name of ['Ada Lovelace', '  ADA  lovelace ', 'Ａda Lovelace', ...unseen])
      expect(refused(await sign(june, 'reviewed', name))).toEqual([
        409,
        'CONFLICT_ERROR',
        `${name} has prepared this statement, so another person must review it`,
      ]);
    await signed(june, 'reviewed', 'Bob');
    for (const [role, name] of [
      ['prepared', 'Ada Lovelace'],
      ['prepared', 'bob'],
      ['reviewed', 'BOB'],
    ] as const)
      expect(refused(await sign(june, role, name)).slice(0, 2)).toEqual([409, 'CONFLICT_ERROR']);
    expect((await withdraw(id)).status).toBe(409);
    expect(refused(await sign(june, 'prepared', '\u200b\u200e'))).toEqual([
      400,
      'VALIDATION_ERROR',
      expect.stringContaining('signed_by must name a person'),
    ]);
  });

  it('say which lines are not as they were signed, and that they are again', async () => {
    const { read, statement, signed, list, changes } = await open(pair, other);
    const june = await signed(await statement(`&through=${JUNE}`), 'prepared', 'Ada');
    const all = await signed(await statement(), 'prepared', 'Ada');
    const states = async () => (await list()).map(({ id, current }) => [id, current]);

    // Documents of July are none of June's, and are in the statement of all documents.
    await read(a, { ...pair, 2: [7, '2026-07-02'] });
    expect(await states()).toEqual([
      [all.id, false],
      [june.id, true],
    ]);
    expect(await changes(all.id)).toEqual([
      ['counts only_on platform_a', [0, undefined], [1, undefined]],
      ['totals records platform_a', [1, undefined], [2, undefined]],
      ['totals sum platform_a', [1, 1000], [2, 1700]],
      ['totals only_on_platform_a', [0, 0], [1, -700]],
    ]);

    // A record that arrives late, with a date in June.
    await read(a, { ...pair, 2: [7, '2026-06-30'] });
    expect(await changes(june.id)).toEqual(await changes(all.id));
    expect(await states()).toEqual([
      [all.id, false],
      [june.id, false],
    ]);
    await read(a, { ...pair, 2: [7, '2026-07-01'] });
    expect((await list()).find(({ id }) => id === june.id)).toMatchObject({ current: true, changes: [] });
  });

  it('see decisions, rates and accepted differences', async () => {
    const { client, statement, signed, one, changes } = await open(pair, other);
    const parted = await decide(client, 'not_same', 'payment', [`${a} 1`, `${b} b1`]);
    const { id } = await signed(await statement(`&through=${JUNE}`), 'prepared', 'Ada');
    await withdrawDecision(client, parted.body.data.id);
    expect(await changes(id)).toEqual([
      ['counts disagree', [0, undefined], [1, undefined]],
      ['counts only_on platform_a', [1, undefined], [0, undefined]],
      ['counts only_on platform_b', [1, undefined], [0, undefined]],
      ['totals only_on_platform_a', [1, -1000], [0, 0]],
      ['totals only_on_platform_b', [1, 3000], [0, 0]],
      ['totals amounts_disagree', [0, 0], [1, 2000]],
    ]);
    const now = await signed(await statement(`&through=${JUNE}`), 'prepared', 'Ada');
    const [found] = (await client.get('/reconciliation/cases')).body.data;
    const accepted = { reason: 'Known', decided_by: 'Ada' };
    await client.send('PATCH', `/reconciliation/cases/${found.id}`, { body: { accepted } });
    expect(await changes(now.id)).toEqual([
      ['counts accepted', [0, undefined], [1, undefined]],
      ['totals accepted_of_amounts_disagree', [0, 0], [1, 2000]],
    ]);
    await client.send('PATCH', `/reconciliation/cases/${found.id}`, { body: { accepted: null } });
    expect((await one(now.id)).current).toBe(true);
    const { body: eur } = await client.get('/reconciliation?currency=QAR');
    const inQar = await signed(eur.data, 'prepared', 'Ada');
    expect(inQar.current).toBe(true);
    await client.send('PUT', '/rates', {
      body: { from: 'USD', to: 'QAR', rate: '3.65', reason: 'Agreed', decided_by: 'Ada' },
    });
    expect(await changes(inQar.id)).toEqual([
      ['totals sum platform_a', [1, 3640], [1, 3650]],
      ['totals sum platform_b', [1, 10920], [1, 10950]],
      ['totals amounts_disagree', [1, 7280], [1, 7300]],
    ]);
  });

  it('are withdrawn with a reason, and stay in the list', async () => {
    const { statement, signed, sign, list, one, withdraw } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    const prepared = await signed(june, 'prepared', 'Ada');
    const reviewed = await signed(june, 'reviewed', 'Bob');
    const under = await withdraw(prepared.id);
    expect([under.status, under.body.error.details]).toEqual([409, { reviews: [reviewed.id] }]);
    expect(under.body.error.message).toContain(`${reviewed.id} by Bob`);
    const { status, body } = await withdraw(reviewed.id);
    expect([status, body.data]).toMatchObject([
      200,
      {
        id: reviewed.id,
        state: 'withdrawn',
        withdrawn: { at: expect.any(String), by: 'Ada', reason: 'Signed too early' },
        current: false,
        changes: [],
        compared: null,
      },
    ]);
    expect((await withdraw(reviewed.id, { ...ending, decided_by: 'Eve' })).body.data).toEqual(body.data);
    expect((await withdraw(prepared.id)).status).toBe(200);
    expect((await list('?state=withdrawn')).map(({ id }) => id)).toEqual([reviewed.id, prepared.id]);
    expect(await list('?state=standing')).toEqual([]);
    expect((await one(prepared.id)).figures).toEqual(prepared.figures);
    // Nobody stands under the statement any more.
    expect((await sign(june, 'reviewed', 'Bob')).status).toBe(409);
    await signed(june, 'prepared', 'Bob');
    for (const id of [unknownId, 'none']) expect((await withdraw(id)).status).toBe(404);
    expect((await withdraw(prepared.id, { reason: 'x' })).status).toBe(400);
  });

  it('leave a legal state when several people sign and withdraw at once', async () => {
    const { statement, sign, signed, list, withdraw } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    for (let round = 0; round < 2; round += 1) {
      const { id } = await signed(june, 'prepared', 'Ada');
      const done = await Promise.all([
        sign(june, 'reviewed', 'Bob'),
        withdraw(id),
        sign(june, 'reviewed', 'bob'),
        sign(june, 'prepared', 'BOB'),
        sign(june, 'reviewed', 'Cyd'),
        withdraw(id),
      ]);
      expect(done.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual(
        [],
      );
      const standing = await list('?state=standing');
      const names = standing.map(({ signed_by: name }) => name.toLowerCase());
      expect(names).toHaveLength(new Set(names).size);
      const roles = standing.map(({ role }) => role);
      expect(!roles.includes('reviewed') || roles.includes('prepared')).toBe(true);
      for (const { id: left } of standing.toSorted((one) => (one.role === 'reviewed' ? -1 : 1)))
        expect((await withdraw(left)).status).toBe(200);
    }
  });

  it('are made and withdrawn once for an idempotency key', async () => {
    const { client, statement, sign, list } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    const key = { 'Idempotency-Key': randomUUID() };
    const made = await sign(june, 'prepared', 'Ada', {}, key);
    const again = await sign(june, 'prepared', 'Ada', {}, key);
    expect(again.body).toEqual({ ...made.body, request_id: again.body.request_id });
    expect(await list()).toHaveLength(1);

    const headers = { 'Idempotency-Key': randomUUID() };
    const withdraw = (body: object) =>
      client.send('DELETE', `${signoffs}/${made.body.data.id}`, { body, headers });
    const ended = await withdraw(ending);
    const replayed = await withdraw(ending);
    expect([replayed.text, replayed.headers.get('Idempotent-Replayed')]).toEqual([ended.text, 'true']);
    expect(await list('?state=withdrawn')).toHaveLength(1);
    expectError(await withdraw({ ...ending, reason: 'Another' }), 409, 'CONFLICT_ERROR');
  });

  it('come page by page, the latest first, with few statements in a page', async () => {
    const { client, statement, signed } = await open(pair, other);
    const ids: string[] = [];
    for (let day = 1; day <= 22; day += 1) {
      const of = await statement(`&through=2026-06-${String(day).padStart(2, '0')}`);
      ids.unshift((await signed(of, 'prepared', 'Ada')).id);
    }
    const pages: Body[] = [];
    for (let cursor = ''; ;) {
      const { body } = await client.get(`${signoffs}?limit=500${cursor}`);
      pages.push(body);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(pages.map(({ data }) => data.length)).toEqual([20, 2]);
    expect(pages.flatMap(({ data }) => data.map(({ id }: Body) => id))).toEqual(ids);
    const { body } = await client.get(`${signoffs}?limit=3&role=prepared`);
    expect(body.data.map(({ id }: Body) => id)).toEqual(ids.slice(0, 3));
    const next = await client.get(`${signoffs}?limit=3&role=prepared&cursor=${body.next_cursor}`);
    expect(next.body.data.map(({ id }: Body) => id)).toEqual(ids.slice(3, 6));
    expect((await client.get(`${signoffs}?limit=3&cursor=${body.next_cursor}`)).status).toBe(400);
    expect((await client.get(`${signoffs}?role=approved`)).status).toBe(400);
  });

  it('are a file', async () => {
    const { key, read, statement, signed, withdraw } = await open(pair, other);
    const june = await statement(`&through=${JUNE}`);
    const prepared = await signed(june, 'prepared', 'Ada', { note: '=1+1' });
    const reviewed = await signed(june, 'reviewed', 'Bob');
    await withdraw(reviewed.id);
    await read(b, { 1: [35.5, '2026-06-01'] });
    const file = await fetch(`${service.url}/api/v1${signoffs}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    const text = await file.text();
    // With its text, which names the reason of a refusal.
    expect({ status: file.status, text }).toMatchObject({ status: 200 });
    const lines = text.split('\r\n');
    const [, second] = lines.slice(lines.findIndex((line) => line.startsWith('id,')) + 1);
    expect(file.headers.get('content-disposition')).toContain('reconciliation-signoffs-');
    expect(lines.find((line) => line.startsWith(reviewed.id))).toContain(',Ada,Signed too early');
    expect(second).toContain(`${prepared.id},standing,prepared,Ada,${prepared.signed_at},'=1+1,`);
    expect(second).toContain(
      ',no,2,"payment, total, platform_b: 1 of 30.00 USD, now 1 of 35.50 USD; payment, amounts differ: 1 of 20.00 USD, now 1 of 25.50 USD",',
    );
  });

  /** A customer with a project that both platforms have, and another one, each with a payment. */
  async function openProject() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(
      customerId,
      a,
      [1, 2].flatMap((id) => [
        record('project', { id, project_number: `P-${id}`, name: `Tower ${id}` }),
        record('payment', { id, amount: `${id}0.00`, check_number: `CHK-${id}`, project_id: id }),
      ]),
    );
    sources.give(customerId, b, [record('project', { id: 'p1', number: 'P-1', displayName: 'Tower 1' })]);
    for (const platform of [a, b]) await connect(client, platform);
    return { client, key };
  }

  it('follow a project that has become another one', async () => {
    const { client } = await openProject();
    const { body: projects } = await client.get(`/objects?platform=${a}&entity_type=project`);
    const pairOf = projects.data.find(({ mappings }: Body) => mappings.length === 2).mappings;
    const [here, there] = pairOf.map(({ platform_id }: Body) => platform_id);
    const parted = await decide(client, 'not_same', 'project', [`${a} ${here}`, `${b} ${there}`]);
    const moved = parted.body.data.effects.records.find((one: Body) => one.entity_type === 'project');
    const project_id = moved.canonical_id as string;
    const { as_of, digest } = (await client.get(`/reconciliation?currency=USD&project_id=${project_id}`)).body
      .data;
    const body = { as_of, digest, project_id, currency: 'USD', role: 'prepared', signed_by: 'Ada' };
    const { id, current } = (await client.post(signoffs, body)).body.data;
    expect(current).toBe(true);
    await withdrawDecision(client, parted.body.data.id);
    const { status, body: now } = await client.get(`${signoffs}/${id}`);
    expect([status, now.data.project_id, now.data.current]).toEqual([200, project_id, false]);
    expect(now.data.changes).toContainEqual({
      ...{ entity_type: 'project', part: 'counts', line: 'agree', platform: null },
      ...{ before: { count: 0, amount: null }, after: { count: 1, amount: null } },
    });
  });

  it('are about one project, and 404 under an ID that none has', async () => {
    const { client, key } = await openProject();
    const { body: projects } = await client.get(`/objects?platform=${a}&entity_type=project&limit=1`);
    const project_id = projects.data[0].canonical_id as string;
    const { body: statement } = await client.get(`/reconciliation?currency=USD&project_id=${project_id}`);
    const { as_of, digest } = statement.data;
    const body = { as_of, digest, project_id, currency: 'USD', role: 'prepared', signed_by: 'Ada' };
    const made = (await client.post(signoffs, body)).body.data;
    expect(made).toMatchObject({ project_id, current: true });
    expect((await client.get(`${signoffs}/${made.id}`)).body.data.figures).toEqual(made.figures);
    const plain = await fetch(`${service.url}/api/v1${signoffs}?head=false`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    const [columns, row, end] = (await plain.text()).split('\r\n').map((line) => line.split(','));
    expect(columns?.[0]).toMatch(/^\ufeff?id$/);
    expect(end).toEqual(['']);
    expect(row?.[columns?.indexOf('project_id') ?? -1]).toBe(project_id);
    expect(row?.[columns?.indexOf('project') ?? -1]).toBe(projects.data[0].data.name);
    for (const id of [unknownId, 'none']) expect((await client.get(`${signoffs}/${id}`)).status).toBe(404);
  });
});
