import { Client } from 'pg';
import type { ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import {
  platforms,
  portfolios,
  storedTypes,
  type Portfolio,
  type Portfolios,
  ON_A,
} from '../../support/customers/portfolio';

jest.setTimeout(60_000);

const paymentsOnA = ['1823456', '1823502', '1823517', '1823588', '1823634', '1823705', '1823761'];

describe('POST /propagate, many at once', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });
  afterEach(() => {
    // A deadlock, or any other fault, would be logged here.
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  const count = async (text: string): Promise<number> =>
    Number((await portfolio.sql<{ count: string }>(text, [portfolio.customerId]))[0]?.count);

  /** Sends a change, again as long as the answer is that other work is under way. */
  async function patiently(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    for (;;) {
      const answer = await send();
      if (answer.status !== 409 || !/under way/.test(answer.body.error.message)) return answer;
    }
  }

  /** Expects both listings of every type to show the same objects. */
  async function expectAgreement(of: Portfolio): Promise<void> {
    for (const type of storedTypes) {
      const [onA, onB] = [await of.list('platform_a', type), await of.list('platform_b', type)];
      for (const listed of onA.filter(({ mappings }) => mappings.length === 2)) {
        expect(onB.find(({ canonical_id }) => canonical_id === listed.canonical_id)?.data).toEqual(
          listed.data,
        );
      }
    }
  }

  it('loses none of thirty concurrent changes of one object', async () => {
    const id = (await portfolio.find('platform_a', 'payment', ON_A)).canonical_id;
    const changes = [
      ...Array.from({ length: 26 }, (_, at) => ({ [`field_${at}`]: at })),
      { payment_number: 99 },
      { draw_request_number: 98 },
    ];
    const answers = await Promise.all([
      ...changes.map((data) => patiently(() => portfolio.native('platform_a', 'payment', ON_A, data))),
      patiently(() => portfolio.canonical('payment', id, { notes: 'thirty at once' })),
      patiently(() => portfolio.canonical('payment', id, { amount: { amount: 12345, currency: 'USD' } })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));

    const onA = await portfolio.find('platform_a', 'payment', ON_A);
    const onB = await portfolio.find('platform_b', 'payment', id);
    expect(onA.platform_data).toMatchObject({
      ...Object.assign({}, ...changes),
      notes: 'thirty at once',
      amount: '123.45',
    });
    expect(onB.platform_data).toMatchObject({ comment: 'thirty at once', amount: -449.36 });
    expect(await count('select count(*) from propagations where customer_id = $1')).toBe(30);

    // Each saw all that came before it and nothing else: what they show grows by one field at a time.
    const seen = answers
      .map(({ body }) =>
        Object.keys(body.data.propagated.platform_a.data).filter((name) => /^field_/.test(name)),
      )
      .sort((one, other) => one.length - other.length);
    seen.forEach((fields, at) => expect(seen[at + 1] ?? fields).toEqual(expect.arrayContaining(fields)));
  });

  it('gives amounts written at once an order: both platforms end with the same one', async () => {
    const amounts = Array.from({ length: 12 }, (_, at) => 1000 + at);
    const answers = await Promise.all(
      amounts.map((amount, at) =>
        patiently(() =>
          at % 2 === 0
            ? portfolio.native('platform_a', 'payment', ON_A, { amount: (amount / 100).toFixed(2) })
            : portfolio.native('platform_b', 'payment', 'a34e74db-53c7-4368-8fe7-bb87c83c7902', {
                amount: -amount / 100,
              }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { platform_data: onA, canonical_id: id } = await portfolio.find('platform_a', 'payment', ON_A);
    const { platform_data: onB } = await portfolio.find('platform_b', 'payment', id);
    expect(answers.map(({ body }) => body.data.propagated)).toContainEqual(
      expect.objectContaining({
        platform_a: expect.objectContaining({ data: onA }),
        platform_b: expect.objectContaining({ data: onB }),
      }),
    );
    await expectAgreement(portfolio);
  });

  it('gives one new key to one object alone', async () => {
    const answers = await Promise.all(
      paymentsOnA.map((id, at) =>
        patiently(() =>
          portfolio.native('platform_a', 'payment', id, { check_number: at % 2 ? 'one-key' : 'ONE-KEY' }),
        ),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 200) expectError(answer, 409, 'CONFLICT_ERROR', /check_number/);
    for (const platform of platforms) {
      const holders = (await portfolio.list(platform, 'payment')).filter(({ data }) =>
        /one-key/i.test(data.check_number),
      );
      expect(holders.map(({ canonical_id }) => canonical_id)).toEqual([winners[0]?.body.data.canonical.id]);
    }
  });

  it('does not deadlock where two objects want each other’s key', async () => {
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([
        patiently(() =>
          portfolio.native('platform_a', 'payment', '1823517', { check_number: 'CHK-2026-0122' }),
        ),
        patiently(() =>
          portfolio.native('platform_a', 'payment', '1823634', { check_number: 'CHK-2026-0107' }),
        ),
        patiently(() => portfolio.native('platform_a', 'payment', '1823517', { notes: `round ${round}` })),
        patiently(() =>
          portfolio.native('platform_b', 'invoice', '9fdde71b-d49e-4bbb-9236-22b5afb991df', {
            dueDate: `2027-01-0${round + 1}`,
          }),
        ),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([409, 409, 200, 200]);
    }
  });

  it('locks for a payment the invoices that it leaves and comes to, and not the contract', async () => {
    const alone = (await portfolio.list('platform_b', 'payment')).find(
      ({ mappings }) => mappings.length === 1,
    );
    const invoice = (await portfolio.list('platform_a', 'invoice')).find(
      ({ canonical_id, mappings, data }) =>
        mappings.length === 2 && data.contract_id !== null && canonical_id !== alone?.data.invoice_id,
    );
    if (alone === undefined || invoice === undefined) throw new Error('The portfolio has no such records');
    // A change of an invoice locks the invoice, and then its contract.
    const other = new Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select 1 from canonical_objects where id = $1 for no key update', [
        invoice.data.contract_id,
      ]);
      const { status, body } = await portfolio.creating.canonical('payment', alone.canonical_id, {
        invoice_id: invoice.canonical_id,
        contract_id: invoice.data.contract_id,
        amount: { ...alone.data.amount, amount: 1 },
      });
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    } finally {
      await other.end();
    }
  });

  it('keeps customers apart', async () => {
    const others = [await all.open(), await all.open(), await all.open()];
    await Promise.all(
      others.flatMap((other, at) =>
        paymentsOnA.map((id) =>
          patiently(() => other.native('platform_a', 'payment', id, { check_number: `C${at}-${id}` })),
        ),
      ),
    );
    for (const [at, other] of others.entries()) {
      const listed = await other.list('platform_b', 'payment');
      expect(listed.filter(({ data }) => data.check_number.startsWith(`C${at}-`))).toHaveLength(
        paymentsOnA.length,
      );
    }
  });

  it('works beside connects, of a platform that was connected before and of a new one', async () => {
    const late = await all.open(['platform_a']);
    for (const [of, connects] of [
      [portfolio, ['platform_a', 'platform_b', 'platform_a']],
      [late, ['platform_b', 'platform_b']],
    ] as const) {
      const answers = await Promise.all([
        ...connects.map((platform) => of.client.post('/connect', { platform })),
        ...paymentsOnA.map((id) =>
          patiently(() => of.native('platform_a', 'payment', id, { notes: `kept ${id}` })),
        ),
        patiently(() => of.native('platform_a', 'contract', '1945782', { title: 'kept' })),
      ]);
      for (const { status } of answers.slice(0, connects.length)) expect([200, 409]).toContain(status);
      for (const { status } of answers.slice(connects.length)) expect(status).toBe(200);
      for (const id of paymentsOnA) {
        const listed = await of.find('platform_a', 'payment', id);
        expect(listed.data.notes).toBe(`kept ${id}`);
        expect(listed.mappings).toHaveLength(2);
      }
      expect(
        (await of.find('platform_b', 'contract', 'e27086cf-303f-4cb0-b36a-d348e484bcd5')).data.title,
      ).toBe('kept');
      await expectAgreement(of);
    }
  });

  it('gets along with the end of the session: afterwards nothing is left', async () => {
    for (let round = 0; round < 3; round += 1) {
      const ending = await all.open();
      const answers = await Promise.all([
        ...paymentsOnA
          .slice(0, 3 + round)
          .map((id) => ending.native('platform_a', 'payment', id, { notes: 'x' })),
        ending.client.delete('/demo/session'),
        ...paymentsOnA.map((id) => ending.native('platform_a', 'payment', id, { check_number: `K-${id}` })),
        ending.client.post('/connect', { platform: 'platform_a' }),
      ]);
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].filter((status) => ![200, 204, 401].includes(status))).toEqual([]);
      expect(statuses).toContain(204);
      for (const answer of answers)
        if (answer.status === 401) expectError(answer, 401, 'AUTHENTICATION_ERROR');
      for (const table of [
        'customers',
        'api_keys',
        'connections',
        'canonical_objects',
        'canonical_aliases',
      ]) {
        const column = table === 'customers' ? 'id' : 'customer_id';
        expect(await ending.sql(`select 1 from ${table} where ${column} = $1`, [ending.customerId])).toEqual(
          [],
        );
      }
      for (const table of ['platform_records', 'propagations', 'exchange_rates']) {
        expect(
          await ending.sql(`select 1 from ${table} where customer_id = $1`, [ending.customerId]),
        ).toEqual([]);
      }
    }
  });
});
