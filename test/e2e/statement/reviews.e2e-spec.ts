import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { TransactionStore } from '../../../src/database/transaction/transaction-store';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

/** Amounts of payments by check number. */
type Payments = Readonly<Record<string, number>>;

const decision = { reason: 'Known since June', decided_by: 'Ada' };

describe('reviews of cases', () => {
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
        Object.entries(payments).map(([check, amount]) =>
          platform === a
            ? record('payment', {
                id: Number(check),
                amount: amount.toFixed(2),
                check_number: `CHK-${check}`,
              })
            : record('payment', {
                id: `b${check}`,
                amount: -amount,
                currencyCode: 'USD',
                externalDocumentNumber: `CHK-${check}`,
              }),
        ),
      );
      await connect(client, platform);
    };
    await read(a, onA);
    await read(b, onB);
    const get = async (path: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation${path}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body;
    };
    const list = async (query = ''): Promise<Body[]> => (await get(`/cases${query}`)).data as Body[];
    const one = async (id: string): Promise<Body> => (await get(`/cases/${id}`)).data;
    const patch = (path: string, body: unknown, headers?: Record<string, string>) =>
      client.send('PATCH', `/reconciliation/cases${path}`, { body, headers });
    const payments = async (query = ''): Promise<Body> => (await get(`?entity_type=payment${query}`)).data;
    /** The part of a line that is accepted, and the line. */
    const lineOf = (statement: Body, cause: string): Body => {
      const { objects, amount, accepted } = statement.types[0].totals.lines.find(
        (line: Body) => line.cause === cause,
      );
      return [objects, amount.amount, accepted.objects, accepted.amount.amount];
    };
    return { client, customerId, read, get, list, one, patch, payments, lineOf };
  }

  /** Does the work; the first time that it makes a statement for the customer that has this part, something happens before. */
  async function beforeStatement(
    part: string,
    customerId: string,
    work: () => Promise<unknown>,
    happens: () => Promise<unknown>,
  ): Promise<void> {
    const original: TransactionStore['query'] = Object.getOwnPropertyDescriptor(
      TransactionStore.prototype,
      'query',
    )?.value;
    let isNext = true;
    const query = jest.spyOn(TransactionStore.prototype, 'query').mockImplementation(async function (
      this: TransactionStore,
      ...given
    ) {
      if (isNext && given[0].includes(part) && given[1]?.includes(customerId)) {
        isNext = false;
        await happens();
      }
      return original.apply(this, given);
    });
    try {
      await work();
    } finally {
      query.mockRestore();
    }
    expect(isNext).toBe(false);
  }

  it('accept a difference until a value changes, and show that at its time', async () => {
    const { read, list, one, patch, payments, lineOf } = await open({ 1: 10, 2: 5 }, { 1: 30 });
    const before = await payments();
    const [first, second] = await list('?sort=amount');
    expect(lineOf(before, 'amounts_disagree')).toEqual([1, 2000, 0, 0]);

    const { status, body } = await patch(`/${first.id}`, { accepted: decision });
    expect([status, body.data]).toEqual([
      200,
      {
        id: first.id,
        state: 'accepted',
        owner: null,
        accepted: { ...decision, at: expect.any(String), until: null },
      },
    ]);
    const after = await payments();
    expect(lineOf(after, 'amounts_disagree')).toEqual([1, 2000, 1, 2000]);
    expect(after.types[0].counts).toMatchObject({ disagree: 1, accepted: 1 });
    expect(after.digest).not.toBe(before.digest);
    expect((await list()).map(({ id }) => id)).toEqual([second.id]);
    expect((await list('?state=accepted')).map(({ id, state }) => [id, state])).toEqual([
      [first.id, 'accepted'],
    ]);
    expect(await payments(`&as_of=${before.as_of}`)).toEqual(before);
    expect(await payments(`&as_of=${after.as_of}`)).toEqual(after);

    await read(b, { 1: 31 });
    const changed = await payments();
    expect(lineOf(changed, 'amounts_disagree')).toEqual([1, 2100, 0, 0]);
    expect((await list('?sort=amount')).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect((await one(first.id)).history.map(({ type, why }: Body) => [type, why])).toEqual([
      ['reopened', 'value_changed'],
      ['accepted', undefined],
      ['opened', undefined],
    ]);

    // The same value as once accepted is not accepted again.
    await read(b, { 1: 30 });
    expect(lineOf(await payments(), 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    expect(await payments(`&as_of=${after.as_of}`)).toEqual(after);
    expect((await list(`?as_of=${after.as_of}`)).map(({ id }) => id)).toEqual([second.id]);
    expect(
      (await list(`?as_of=${after.as_of}&state=accepted`)).map(({ id, accepted }) => [id, accepted]),
    ).toEqual([[first.id, { ...decision, at: expect.any(String), until: null }]]);
  });

  it.each([
    ['changes', { 1: 31 }],
    ['agrees with the other one', { 1: 10 }],
  ])('do not come back with a value that %s and returns between two refreshes', async (_, between) => {
    const { read, list, one, patch, payments, lineOf } = await open({ 1: 10, 2: 5, 3: 1 }, { 1: 30, 4: 2 });
    const found = await list('?sort=amount');
    const { id } = found.find(({ kind }) => kind === 'disagreement');
    const others = found.filter((other) => other.id !== id).map((other) => other.id);
    await patch('', { ids: [id, ...others], accepted: decision });
    expect(await list()).toEqual([]);
    // Only requests make these comparisons follow.
    await read(b, { ...between, 4: 2 });
    await read(b, { 1: 30, 4: 2 });
    expect(lineOf(await payments(), 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    const again = await one(id);
    expect([again.state, again.accepted]).toEqual(['open', null]);
    expect(again.history).toContainEqual({ type: 'reopened', at: expect.any(String), why: 'value_changed' });
    expect((await list()).map((open) => open.id)).toEqual([id]);
    // The values of the other cases have stayed as they were.
    expect((await list('?state=accepted')).map((open) => open.id).toSorted()).toEqual(others.toSorted());
    expect((await patch(`/${id}`, { accepted: decision })).status).toBe(200);
    await read(a, { 1: 10, 2: 5, 3: 1.5 });
    expect((await one(id)).state).toBe('accepted');
  });

  it('do not come back with a value that returns between the mark of a refresh and its reading', async () => {
    const { customerId, read, list, one, patch } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    await patch(`/${id}`, { accepted: decision });
    await read(b, { 1: 31 });
    await beforeStatement('select object_id from stale_comparisons', customerId, list, () =>
      read(b, { 1: 30 }),
    );
    expect((await list()).map((open) => open.id)).toEqual([id]);
    const { accepted, history } = await one(id);
    expect([accepted, history[0]]).toMatchObject([null, { type: 'reopened', why: 'value_changed' }]);
  });

  it('do not come back with a value that passed before many long versions', async () => {
    const { customerId, client, read, list, one, patch } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    await patch(`/${id}`, { accepted: decision });
    await read(b, { 1: 31 });
    // More than the first step of former versions has.
    for (const letter of 'abcd') {
      const comment = letter.repeat(100_000);
      const own = { id: 'b1', amount: -30, currencyCode: 'USD', externalDocumentNumber: 'CHK-1', comment };
      sources.give(customerId, b, [record('payment', own)]);
      await connect(client, b);
    }
    await read(b, { 1: 30 });
    expect((await list()).map((open) => open.id)).toContain(id);
    expect(await one(id)).toMatchObject({ state: 'open', accepted: null });
  });

  it('are compared with passed versions in as many statements, however many these are', async () => {
    const { customerId, read, list, patch } = await open({ 1: 10, 2: 5 }, { 1: 30, 2: 6 });
    const ids = (await list()).map(({ id }) => id).toSorted();
    const statementsAfter = async (versions: number): Promise<number> => {
      await patch('', { ids, accepted: decision });
      for (let version = 1; version <= versions; version += 1) await read(b, { 1: 30 + version, 2: 6 });
      await read(b, { 1: 30, 2: 6 });
      const query = jest.spyOn(TransactionStore.prototype, 'query');
      try {
        expect((await list()).map(({ difference }) => difference.amount)).toEqual([2000]);
        const own = query.mock.calls.filter((given) => given[1]?.includes(customerId));
        return own.filter(([statement]) => statement.includes('record_versions')).length;
      } finally {
        query.mockRestore();
      }
    };
    const few = await statementsAfter(2);
    expect(await statementsAfter(12)).toBe(few);
  });

  it('do not come back with records that are linked and parted between two refreshes', async () => {
    const { client, list, one, patch } = await open({ 2: 5 }, { 4: 2 });
    const ids = (await list()).map(({ id }) => id).toSorted();
    expect((await patch('', { ids, accepted: decision })).status).toBe(200);
    const { body } = await decide(client, 'link', 'payment', ['platform_a 2', 'platform_b b4']);
    expect((await withdraw(client, body.data.id)).status).toBe(200);
    expect((await list()).map(({ id }) => id).toSorted()).toEqual(ids);
    for (const id of ids) expect(await one(id)).toMatchObject({ state: 'open', accepted: null });
  });

  it('made after a value had changed stay when it returns before the next refresh', async () => {
    const { customerId, read, list, one, patch } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    await patch(`/${id}`, { accepted: decision });
    await read(b, { 1: 31 });
    const stored = await StoredRecords.open(service.databaseUrl);
    // As if the refresh had been too slow for the caller, who then accepted what was stored.
    await stored.query(
      'update case_reviews set accepted_at = now(), valid_from = now() where customer_id = $1',
      [customerId],
    );
    await stored.close();
    await read(b, { 1: 30 });
    expect((await one(id)).state).toBe('accepted');
  });

  it('are the same for a time whose objects are all compared anew', async () => {
    const { get, list, patch, payments } = await open({ 1: 10, 2: 5, 3: 7 }, { 1: 30, 3: 7.5 });
    const [first, , third] = await list('?sort=amount');
    await patch('', { ids: [first.id, third.id], owner: 'Bob', accepted: decision });
    const stated = await payments();
    const query = `?as_of=${stated.as_of}&state=accepted&owner=Bob`;
    const kept = await get(`/cases${query}`);
    const times = service.app.get(StatementTimes, { strict: false });
    // Too few to be worth the stored comparisons.
    const { touched } = times;
    times.touched = 0;
    try {
      expect(await payments(`&as_of=${stated.as_of}`)).toEqual(stated);
      expect(await get(`/cases${query}`)).toEqual(kept);
    } finally {
      times.touched = touched;
    }
    expect(kept.facets).toMatchObject({
      state: [{ value: 'accepted', count: 2 }],
      owner: [{ value: 'Bob', count: 2 }],
      total: 2,
    });
  });

  it('end with their case, and do not come back with it', async () => {
    const { read, list, one, patch, payments, lineOf } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    await patch(`/${id}`, { owner: 'Bob', accepted: decision });
    expect(lineOf(await payments(), 'amounts_disagree')).toEqual([1, 2000, 1, 2000]);
    await read(a, { 1: 30 });
    expect(await list('?state=all')).toMatchObject([{ id, state: 'closed', owner: 'Bob', accepted: null }]);
    const closed = await patch('', { ids: [id], owner: 'Eve' });
    expect([closed.status, closed.body.error.message]).toEqual([409, `Closed, so nothing was done: ${id}`]);
    await read(a, { 1: 10 });
    expect(lineOf(await payments(), 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    const { state, owner, accepted, history } = await one(id);
    expect([state, owner, accepted]).toEqual(['open', 'Bob', null]);
    expect(history.map(({ type, why }: Body) => [type, why])).toEqual([
      ['reopened', 'returned'],
      ['closed', undefined],
      ['accepted', undefined],
      ['owner', undefined],
      ['opened', undefined],
    ]);
  });

  it('end when their time has passed, and when they are taken back', async () => {
    const { list, one, patch, payments, lineOf } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    const past = await patch(`/${id}`, { accepted: { ...decision, until: '2026-01-31' } });
    expect([past.status, past.body.error.type]).toEqual([400, 'VALIDATION_ERROR']);
    await patch(`/${id}`, { accepted: { ...decision, until: '2999-12-31' } });
    expect(await list('?state=accepted')).toMatchObject([{ accepted: { ...decision, until: '2999-12-31' } }]);
    await patch(`/${id}`, { accepted: null });
    expect(await list()).toMatchObject([{ id, state: 'open', accepted: null }]);
    let soon = '';
    // It must lie ahead when the service looks at it, which a busy machine does late.
    for (let [ahead, status] = [500, 400]; status !== 200; ahead *= 2) {
      soon = new Date(Date.now() + ahead).toISOString().replace('Z', '999Z');
      const made = await patch(`/${id}`, { accepted: { ...decision, until: soon } });
      ({ status } = made);
      if (status !== 200) expectError(made, 400, 'VALIDATION_ERROR', /must lie in the future/);
    }
    while ((await list()).length === 0) {
      expect(await list('?state=all')).toHaveLength(1);
      await sleep(50);
    }
    expect(lineOf(await payments(), 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    expect(lineOf(await payments(`&as_of=${soon}`), 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    expect(await list(`?as_of=${soon}`)).toMatchObject([{ id, state: 'open', accepted: null }]);
    expect((await one(id)).history.map(({ type, why }: Body) => [type, why])).toEqual([
      ['reopened', 'until_passed'],
      ['accepted', undefined],
      ['taken_back', undefined],
      ['accepted', undefined],
      ['opened', undefined],
    ]);
  });

  it('take back what a case without an end shows', async () => {
    const { list, patch } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    const endless = await patch(`/${id}`, { accepted: { ...decision, until: null } });
    const shown = { ...decision, at: expect.any(String), until: null };
    expect([endless.status, endless.body.data?.accepted]).toEqual([200, shown]);
    expect((await patch(`/${id}`, { accepted: endless.body.data.accepted })).status).toBe(200);
  });

  it('of several cases are made of all or of none, once for a key', async () => {
    const { list, one, patch } = await open({ 1: 10, 2: 20 }, { 1: 30, 2: 40 });
    const ids = (await list()).map(({ id }) => id as string);
    const unknown = await patch('', { ids: [...ids, 'case_none'], owner: 'Bob' });
    expect([unknown.status, unknown.body.error.message]).toEqual([404, 'No case has the ID case_none']);
    expect(await list('?owner=Bob')).toEqual([]);
    const key = { 'Idempotency-Key': randomUUID() };
    const made = await patch('', { ids, owner: 'Bob', accepted: decision }, key);
    expect(made.body.data.map(({ id, owner, state }: Body) => [id, owner, state])).toEqual(
      ids.map((id) => [id, 'Bob', 'accepted']),
    );
    const again = await patch('', { ids, owner: 'Bob', accepted: decision }, key);
    expect(again.body).toEqual({ ...made.body, request_id: again.body.request_id });
    expect((await one(ids[0] ?? '')).history.map(({ type }: Body) => type)).toEqual([
      'accepted',
      'owner',
      'opened',
    ]);
    expect(await list('?owner=Bob&state=accepted')).toHaveLength(2);
    await patch('', { ids, owner: null });
    expect(await list('?owner=Bob&state=accepted')).toEqual([]);
    for (const body of [{}, { owner: ' ' }, { owner: 5 }, { accepted: [] }, { accepted: { reason: 'x' } }])
      expect((await patch(`/${ids[0]}`, body)).status).toBe(400);
    expect((await patch('', { ids: [], owner: 'Bob' })).status).toBe(400);
    const named = (most: number) => patch('', { ids: Array(most).fill(ids[0]), owner: 'Bob' });
    expect([(await named(500)).status, (await named(501)).status]).toEqual([200, 400]);
  });

  const match = (version: string) => ({ 'If-Match': `"${version}"` });
  const changedSince = (ids: readonly string[]) =>
    [
      ...[
        409,
        'CONFLICT_ERROR',
        `Changed since the version that was named, so nothing was done: ${ids.join(', ')}`,
      ],
      { cases: ids },
    ] as const;

  it('of one case are refused to a caller who looked at other values', async () => {
    const { read, list, one, patch, payments } = await open({ 1: 10 }, { 1: 30 });
    const [{ id, version }] = await list();
    expect(version).toMatch(/^[0-9a-f]{32}$/);
    expect((await one(id)).version).toBe(version);
    const { as_of: before } = await payments();
    await read(b, { 1: 31 });
    expectError(await patch(`/${id}`, { accepted: decision }, match(version)), ...changedSince([id]));
    expectError(await patch(`/${id}`, { accepted: decision }, match('')), ...changedSince([id]));
    const now = await one(id);
    expect([now.state, now.version === version]).toEqual(['open', false]);
    expect((await patch(`/${id}`, { owner: 'Bob' }, { 'If-Match': '*' })).status).toBe(200);
    expect((await patch(`/${id}`, { accepted: decision }, match(now.version))).status).toBe(200);
    // What people say is no change of what is accepted.
    expect(await list('?state=accepted')).toMatchObject([{ id, version: now.version }]);
    expect(await list(`?as_of=${before}`)).toMatchObject([{ id, version }]);
    expectError(
      await patch(`/${id}`, { accepted: decision }, { 'If-Match': now.version }),
      400,
      'VALIDATION_ERROR',
      /If-Match/,
    );
  });

  it('of several cases are refused, all of them, where one has other values', async () => {
    const { read, list, patch } = await open({ 1: 10, 2: 5 }, { 1: 30, 2: 9 });
    const looked = await list('?sort=amount');
    const [ids, versions] = [
      looked.map(({ id }) => id as string),
      looked.map(({ version }) => version as string),
    ];
    await read(b, { 1: 30, 2: 10 });
    const now = (await list('?sort=amount')).map(({ version }) => version as string);
    expect(now.map((version, place) => version === versions[place])).toEqual([true, false]);
    const [, second = ''] = ids;
    const refused = await patch('', { ids, versions, owner: 'Bob', accepted: decision });
    expectError(refused, ...changedSince([second]));
    // A case that is named twice was looked at twice.
    const twice = { ids: [second, second], versions: [now[1], versions[1]], accepted: decision };
    expectError(await patch('', twice), ...changedSince([second]));
    expect(await list('?owner=Bob&state=all')).toEqual([]);
    expect(await list('?state=accepted')).toEqual([]);
    const named = 'versions must be a list with one version for each of ids';
    for (const few of [[], now.slice(1), [...now, ...now], 'x', null, { length: 2 }])
      expectError(
        await patch('', { ids, versions: few, owner: 'Bob' }),
        400,
        'VALIDATION_ERROR',
        /versions must/,
      );
    expectError(
      await patch('', { ids, versions: [], owner: 'Bob' }),
      400,
      'VALIDATION_ERROR',
      `Invalid input: ${named}`,
    );
    expectError(
      await patch('', { ids, versions: [now[0], 5], owner: 'Bob' }),
      400,
      'VALIDATION_ERROR',
      /each value in versions must be a string/,
    );
    expect((await patch('', { ids, versions: now, accepted: decision })).status).toBe(200);
    expect(await list('?state=accepted')).toHaveLength(2);
  });

  it('are refused where a refresh changes the values while they wait for it', async () => {
    const { customerId, list, one, patch } = await open({ 1: 10 }, { 1: 30 });
    const [{ id, version }] = await list();
    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      // What a refresh does: it holds the comparisons, and writes the case anew.
      await database.query('begin');
      await database.query('select from comparison_states where customer_id = $1 for update', [customerId]);
      const changed = 'update comparison_cases set values_digest = $3 where customer_id = $1 and id = $2';
      await database.query(changed, [customerId, id, 'of other values']);
      const sent = patch(`/${id}`, { accepted: decision }, match(version));
      const waiting =
        'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))';
      while ((await database.query(waiting)).rowCount === 0);
      await database.query('commit');
      expectError(await sent, ...changedSince([id]));
    } finally {
      await database.end();
    }
    expect(await one(id)).toMatchObject({ state: 'open', version: 'of other values' });
  });

  it('are found among a few and among many of the same owner', async () => {
    const { customerId, list, patch } = await open({ 1: 10, 2: 20, 3: 5 }, { 1: 30, 2: 40 });
    const [first, second] = await list('?sort=amount');
    await patch('', { ids: [first.id, second.id], owner: 'Bob', accepted: decision });
    await patch(`/${second.id}`, { accepted: null });
    const queries = ['?owner=Bob&state=all', '?owner=Bob', '?state=accepted', '?owner=Bob&state=accepted'];
    const among = (): Promise<Body[]> =>
      Promise.all(
        queries.map(async (query) => (await list(`${query}&sort=amount`)).map(({ id }) => id as string)),
      );
    const few = await among();
    expect(few).toEqual([[first.id, second.id], [second.id], [first.id], [first.id]]);

    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    await database.query(
      `insert into case_reviews (customer_id, case_id, valid_from, owner, accepted_at, accepted_reason, accepted_by, accepted_values)
       select $1, 'case_of_another_time_' || n, now() - interval '1 hour', 'Bob', now(), 'Known', 'Ada', 'none'
       from generate_series(1, 1500) n`,
      [customerId],
    );
    await database.end();
    expect(await among()).toEqual(few);
  });

  it('have notes in the history of their case', async () => {
    const { client, list, one } = await open({ 1: 10 }, { 1: 30 });
    const [{ id }] = await list();
    const note = { text: 'The bank has it', written_by: 'Ada' };
    const { status, body } = await client.post(`/reconciliation/cases/${id}/notes`, note);
    expect([status, body.data]).toMatchObject([200, { case_id: id, ...note }]);
    expect((await one(id)).history[0]).toEqual({ type: 'note', at: body.data.at, ...note });
    expect((await client.post('/reconciliation/cases/case_none/notes', note)).status).toBe(404);
  });

  it('of one difference leave another one of the object open', async () => {
    const { list, patch, payments, lineOf } = await open({ 1: 10, 2: 3 }, { 1: 30 });
    const cases = await list('?sort=amount');
    await patch(`/${cases[1].id}`, { accepted: decision });
    const statement = await payments();
    expect(lineOf(statement, 'amounts_disagree')).toEqual([1, 2000, 0, 0]);
    expect(lineOf(statement, 'only_on_platform_a')).toEqual([1, -300, 1, -300]);
    const day = await payments('&through=2026-06-30');
    expect(lineOf(day, 'only_on_platform_a')).toEqual([1, -300, 1, -300]);
    expect(await payments(`&through=2026-06-30&as_of=${day.as_of}`)).toEqual(day);
  });
});
