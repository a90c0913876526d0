import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { ComparisonRetention } from '../../../src/reconciliation/comparisons/comparison-retention';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

interface Payment {
  readonly check: string;
  readonly amount: number;
  readonly date?: string;
  readonly note?: string;
  readonly currency?: string;
}

type Payments = Readonly<Record<string, Payment>>;

describe('kept comparisons', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [RatesModule], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(onA: Payments, onB: Payments) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, payments: Payments) => {
      const isA = platform === a;
      sources.give(
        customerId,
        platform,
        Object.entries(payments).map(([id, { check, amount, date, note = '', currency = 'USD' }]) =>
          isA
            ? record('payment', {
                id: Number(id),
                amount: amount.toFixed(2),
                check_number: check,
                notes: note,
                date: date ?? null,
              })
            : record('payment', {
                id,
                amount: -amount,
                currencyCode: currency,
                externalDocumentNumber: check,
                comment: note,
                ...(date !== undefined && { postingDate: date }),
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
    const open = async (query = '') => (await get(`/cases${query}`)).data as Body[];
    const closed = (query = '') => open(`?state=closed${query}`);
    return {
      client,
      key,
      customerId,
      read,
      get,
      open,
      closed,
      statement: async (q = '') => (await get(q)).data,
    };
  }

  /** Nothing may be compared anew. */
  async function withoutComparing<T>(work: () => Promise<T>): Promise<T> {
    const times = service.app.get(StatementTimes, { strict: false });
    times.past = -1;
    try {
      return await work();
    } finally {
      times.past = new StatementTimes().past;
    }
  }

  describe('of a time', () => {
    const books = (amount: number): Payments =>
      Object.fromEntries(
        Array.from({ length: 6 }, (_, at) => [String(at + 1), { check: `CHK-${at}`, amount: amount + at }]),
      );

    it('answer without comparing, though everything has changed since, and again', async () => {
      const { read, statement, open: cases } = await open(books(10), books(11));
      const said: Body[] = [];
      const listed: Body[] = [];
      for (const round of [1, 2, 3]) {
        said.push(await statement());
        listed.push(await cases());
        await read(a, books(20 + round));
        await statement();
        await read(b, books(30 + round));
      }
      await statement();
      await withoutComparing(async () => {
        for (const [place, one] of said.entries()) {
          expect(one.complete).toBe(true);
          expect(await statement(`?as_of=${one.as_of}`)).toEqual(one);
          const then = await cases(`?as_of=${one.as_of}`);
          expect(then.map(({ id, difference }) => [id, difference])).toEqual(
            listed[place].map(({ id, difference }: Body) => [id, difference]),
          );
        }
      });
    });

    it('answer without comparing as soon as the statement is complete, however long a refresh takes to end', async () => {
      const times = service.app.get(StatementTimes, { strict: false });
      const { read, statement } = await open(books(10), books(11));
      await statement();
      // A refresh notes its end when everything is compared. It does not come to that while others keep the table.
      await stored.query('begin');
      await stored.query('lock table comparison_marks in share mode');
      times.wait = 50;
      try {
        await read(a, books(11));
        const seen: Body[] = [];
        const isCompared = () => seen.at(-1)?.types.at(-1).counts.agree === 6;
        while (seen.length < 10 || !isCompared()) seen.push(await statement());
        expect(seen.map(({ complete }) => complete)).not.toContain(true);
        await stored.query('rollback');
        times.wait = new StatementTimes().wait;
        const one = await statement();
        expect(one.complete).toBe(true);
        await withoutComparing(async () => expect(await statement(`?as_of=${one.as_of}`)).toEqual(one));
      } finally {
        await stored.query('rollback');
        times.wait = new StatementTimes().wait;
      }
    });

    it('are those of the terms of their time', async () => {
      const { customerId, statement } = await open(
        { 1: { check: 'CHK-1', amount: 10 } },
        { b1: { check: 'CHK-1', amount: 30, currency: 'EUR' } },
      );
      const rates = service.app.get(ExchangeRatesService, { strict: false });
      const said: Body[] = [];
      for (const rate of ['2', '3', '2']) {
        await rates.set(customerId, { from: 'USD', to: 'EUR', rate });
        said.push(await statement());
      }
      expect(said.map(({ types }) => types.at(-1).counts.agree)).toEqual([0, 1, 0]);
      await withoutComparing(async () => {
        for (const one of said) expect(await statement(`?as_of=${one.as_of}`)).toEqual(one);
      });
    });

    it('page by page are the list of then', async () => {
      const { client, read, statement, open: cases } = await open(books(10), books(11));
      const { as_of: asOf } = await statement();
      const all = await cases(`?as_of=${asOf}`);
      await read(a, books(50));
      await statement();
      const pages: Body[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const behind: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await client.get(`/reconciliation/cases?as_of=${asOf}&limit=2${behind}`);
        expect(body.facets.total).toBe(6);
        pages.push(...body.data);
        cursor = body.next_cursor;
      }
      expect(pages).toEqual(all);
    });

    it('are removed with history, except what still tells of it', async () => {
      const { customerId, read, statement } = await open(books(10), books(11));
      await statement();
      await read(a, books(12));
      const { as_of: asOf, digest } = await statement();
      await read(a, books(13));
      await statement();
      const rows = async (): Promise<number[]> => {
        const [row] = await stored.query<{ counts: number[] }>(
          `select array[(select count(*) from comparison_marks where customer_id = '${customerId}'),
             (select count(*) from comparison_versions where customer_id = '${customerId}'),
             (select count(*) from case_versions where customer_id = '${customerId}')]::int[] as counts`,
        );
        return row?.counts ?? [];
      };
      const [before] = await rows();
      await service.app.get(ComparisonRetention, { strict: false }).purge(new Date(Date.parse(asOf) + 1));
      const [marks, versions, cases] = await rows();
      expect(marks).toBeLessThan(before ?? 0);
      expect([versions, cases]).toEqual([6, 6]);
      expect((await statement(`?as_of=${asOf}`)).digest).toBe(digest);
    });
  });

  describe('of closed cases', () => {
    const differing = () =>
      open(
        { 1: { check: 'CHK-1', amount: 10 }, 2: { check: 'CHK-2', amount: 5 } },
        { b1: { check: 'CHK-1', amount: 12 }, b2: { check: 'CHK-2', amount: 5 } },
      );

    it('say that a change closed them, and open again under their ID', async () => {
      const { client, open: cases, closed, get, read } = await differing();
      const [one] = await cases();
      expect(one).toMatchObject({ field: 'amount', state: 'open', closed_at: null, closed_by: null });
      const changed = await client.post('/propagate', {
        format: 'canonical',
        canonical_id: one.canonical_id,
        entity_type: 'payment',
        data: { amount: { amount: 1100, currency: 'USD' } },
      });
      expect(changed.status).toBe(200);
      expect(await cases()).toEqual([]);
      const [ended, ...others] = await closed();
      expect(others).toEqual([]);
      const by = { type: 'propagation', id: changed.body.data.propagation_id };
      expect(ended).toMatchObject({ id: one.id, state: 'closed', closed_by: by, difference: one.difference });
      const single = (await get(`/cases/${one.id}`)).data;
      expect(single).toMatchObject({
        id: one.id,
        state: 'closed',
        closed_at: ended.closed_at,
        closed_by: by,
      });
      expect(single.compared.length).toBeGreaterThan(0);
      await read(b, { b1: { check: 'CHK-1', amount: 13 }, b2: { check: 'CHK-2', amount: 5 } });
      expect(await cases()).toMatchObject([{ id: one.id, state: 'open', closed_at: null }]);
      expect(await closed()).toEqual([]);
      expect((await get(`/cases/${one.id}`)).data.state).toBe('open');
      expect((await get('/cases?state=all')).facets.total).toBe(1);
    });

    it('say that a reading closed them, and when the change was', async () => {
      const { open: cases, closed, read, statement } = await differing();
      const [one] = await cases();
      const { as_of: before } = await statement();
      await read(b, { b1: { check: 'CHK-1', amount: 10 }, b2: { check: 'CHK-2', amount: 5 } });
      const { as_of: after } = await statement();
      const [ended] = await closed();
      expect(ended).toMatchObject({ id: one.id, closed_by: { type: 'run' } });
      expect(ended.closed_at > before && ended.closed_at < after).toBe(true);
      expect(await closed(`&closed_since=${ended.closed_at}&closed_until=${ended.closed_at}`)).toHaveLength(
        1,
      );
      expect(await closed(`&closed_since=${after}`)).toEqual([]);
      expect(await closed(`&closed_until=${before}`)).toEqual([]);
      expect(await cases(`?as_of=${before}`)).toMatchObject([{ id: one.id, state: 'open' }]);
    });

    it('say that a decision closed them, also one that moves no record', async () => {
      const {
        client,
        closed,
        open: cases,
      } = await open(
        { 4: { check: 'CHK-4', amount: 1 }, 5: { check: 'CHK-4', amount: 1 } },
        { b4: { check: 'CHK-4', amount: 1 } },
      );
      const before = await cases('?kind=ambiguous');
      expect(before).toHaveLength(3);
      const made = await decide(client, 'not_same', 'payment', ['platform_a 4', 'platform_b b4']);
      expect(await cases('?kind=ambiguous')).toHaveLength(2);
      const by = { type: 'decision', id: made.body.data.id };
      expect(await closed()).toMatchObject([{ kind: 'ambiguous', closed_by: by }]);
      await withdraw(client, made.body.data.id);
      expect(await cases('?kind=ambiguous')).toHaveLength(3);
      expect(await closed()).toMatchObject([{ kind: 'only_on', closed_by: by }]);
    });

    it('say that terms closed them', async () => {
      const { customerId, closed, statement } = await open(
        { 1: { check: 'CHK-1', amount: 10 } },
        { b1: { check: 'CHK-1', amount: 20, currency: 'EUR' } },
      );
      await statement();
      const rates = service.app.get(ExchangeRatesService, { strict: false });
      await rates.set(customerId, { from: 'USD', to: 'EUR', rate: '2' });
      await statement();
      const kinds = (await closed()).map(({ kind, closed_by }) => [kind, closed_by.type]);
      expect(kinds).not.toEqual([]);
      for (const [kind, type] of kinds) expect([kind, type]).toEqual(['not_comparable', 'terms']);
    });

    it('page by time, the last first, and are a file', async () => {
      const many = (notes: string): Payments =>
        Object.fromEntries(
          Array.from({ length: 7 }, (_, at) => [
            String(at + 1),
            { check: `CHK-${at}`, amount: 1, note: notes },
          ]),
        );
      const { client, key, read, closed, statement } = await open(many('x'), many('y'));
      await statement();
      await read(b, many('x'));
      await statement();
      const all = await closed();
      expect(all).toHaveLength(7);
      const pages: Body[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const behind: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const answer: ApiResponse = await client.get(`/reconciliation/cases?state=closed&limit=3${behind}`);
        pages.push(...answer.body.data);
        cursor = answer.body.next_cursor;
      }
      expect(pages.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
      const file = await fetch(`${service.url}/api/v1/reconciliation/cases?state=closed`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
      });
      const lines = (await file.text()).split('\r\n');
      for (const { id } of all) expect(lines.filter((line) => line.startsWith(id))).toHaveLength(1);
    });

    it.each([
      ['sort=closed', 'sort'],
      ['closed_since=2026-01-01', 'closed_since'],
      ['state=all&closed_until=2026-01-01', 'closed_until'],
      ['state=gone', 'state'],
      ['through=2026-02-30', 'through'],
      ['age_by=sight', 'age_by'],
    ])('are refused with %s', async (query, name) => {
      const { key } = await service.openSession();
      const { status, body } = await api(service.url, key).get(`/reconciliation/cases?${query}`);
      expect(status).toBe(400);
      expect(body.error.message).toContain(name);
    });
  });

  describe('up to a day', () => {
    const dated = () =>
      open(
        {
          1: { check: 'CHK-1', amount: 100, date: '2026-06-30' },
          2: { check: 'CHK-2', amount: 40, date: '2026-06-30' },
          3: { check: 'CHK-3', amount: 7, date: '2026-07-02' },
          4: { check: 'CHK-4', amount: 3 },
          5: { check: 'CHK-5', amount: 20, date: '2026-06-01' },
        },
        {
          b1: { check: 'CHK-1', amount: 100, date: '2026-07-01' },
          b2: { check: 'CHK-2', amount: 42, date: '2026-06-30' },
          b3: { check: 'CHK-3', amount: 8, date: '2026-07-02' },
          b6: { check: 'CHK-6', amount: 11, date: '2026-07-03' },
        },
      );

    const linesOf = (statement: Body) => {
      const { totals } = statement.types.find((one: Body) => one.entity_type === 'payment');
      const lines = totals.lines.map(({ cause, objects, amount }: Body) => [cause, objects, amount.amount]);
      const sum = lines.reduce((all: number, [, , amount]: [string, number, number]) => all + amount, 0);
      expect(totals.from.sum.amount + sum).toBe(totals.to.sum.amount);
      return Object.fromEntries(
        lines
          .filter(([, objects]: [string, number]) => objects > 0)
          .map(([cause, objects, amount]: [string, number, number]) => [cause, [objects, amount]]),
      );
    };

    it('have later records in lines of their own, and earlier ones as if these were not there', async () => {
      const { statement, open: cases } = await dated();
      const through = await statement('?through=2026-06-30&entity_type=payment');
      expect(through.through).toBe('2026-06-30');
      expect(through.types[0].counts).toMatchObject({
        agree: 0,
        disagree: 1,
        only_on: { platform_a: 3, platform_b: 0 },
      });
      expect(linesOf(through)).toEqual({
        only_on_platform_a: [3, -12_300],
        amounts_disagree: [1, 200],
        dated_after_platform_a: [1, -700],
        dated_after_platform_b: [3, 11_900],
      });
      const listed = await cases('?through=2026-06-30&entity_type=payment');
      const sums = new Map<string, number>();
      for (const { kind, difference } of listed)
        sums.set(kind, (sums.get(kind) ?? 0) + (difference?.amount ?? 0));
      expect([...sums]).toEqual(
        expect.arrayContaining([
          ['only_on', -12_300],
          ['disagreement', 200],
        ]),
      );
      const all = await statement('?entity_type=payment');
      expect(Object.keys(linesOf(all))).not.toContain('dated_after_platform_a');
      expect(all.digest).not.toBe(through.digest);
      expect(await statement(`?through=2026-06-30&entity_type=payment&as_of=${through.as_of}`)).toEqual(
        through,
      );
    });

    it('keep the case of two dates when they become one, for lists up to a day between them', async () => {
      const one = { check: 'CHK-1', amount: 10, date: '2026-06-30' };
      const books = await open({ 1: one }, { b1: { ...one, date: '2026-07-02' } });
      const { client, key, read, get, open: cases, closed, statement } = books;
      const june = '&through=2026-06-30&entity_type=payment';
      const [{ id }] = await cases(`?${june}`);
      const accepted = { reason: 'In transit', decided_by: 'Ada' };
      const patch = (body: unknown) => client.send('PATCH', `/reconciliation/cases/${id}`, { body });
      expect((await patch({ owner: 'Bob', accepted })).status).toBe(200);
      const note = { text: 'Seen on paper', written_by: 'Bob' };
      expect((await client.post(`/reconciliation/cases/${id}/notes`, note)).status).toBe(200);
      const before = await statement(`?${june}`);
      await read(b, { b1: one });

      const list = await get(`/cases?state=closed${june}`);
      expect(list.data).toMatchObject([{ id, state: 'closed', owner: 'Bob', closed_by: { type: 'run' } }]);
      expect(list.facets).toMatchObject({ state: [{ value: 'closed', count: 1 }], total: 1 });
      const single = (await get(`/cases/${id}`)).data;
      expect(single).toMatchObject({ state: 'closed', closed_at: list.data[0].closed_at, accepted: null });
      expect(single.history.map(({ type }: Body) => type)).toEqual([
        'closed',
        'note',
        'accepted',
        'owner',
        'opened',
      ]);
      const refused = await patch({ owner: 'Eve' });
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        `Closed, so nothing was done: ${id}`,
      ]);
      // Other lists have only the disagreement of the dates.
      expect(await closed('&through=2026-06-29')).toEqual([]);
      expect((await closed('&through=2026-07-02')).map(({ kind }) => kind)).toEqual(['disagreement']);
      const withoutDay = await get('/cases?state=closed');
      expect(withoutDay.data.map(({ kind }: Body) => kind)).toEqual(['disagreement']);
      expect(withoutDay.facets.total).toBe(1);

      const { as_of: now } = await statement();
      expect((await cases(`?state=closed${june}&as_of=${now}`)).map((other) => other.id)).toEqual([id]);
      expect(await cases(`?state=closed${june}&as_of=${before.as_of}`)).toEqual([]);
      expect(await statement(`?${june}&as_of=${before.as_of}`)).toEqual(before);
      const file = await fetch(`${service.url}/api/v1/reconciliation/cases?state=closed${june}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
      });
      expect(await file.text()).toContain(`\r\n${id},`);
      const { body } = await client.get('/events?limit=500');
      expect(body.data.filter(({ data }: Body) => data.case_id === id)).toEqual([]);

      await read(b, { b1: { ...one, date: '2026-07-02' } });
      expect(await cases(`?state=all${june}`)).toMatchObject([{ id, state: 'open', owner: 'Bob' }]);
    });

    it('count the age of a record that stands alone from when the dates came to differ', async () => {
      const onA = { check: 'CHK-1', amount: 10, date: '2026-06-30', note: 'One' };
      const books = await open({ 1: onA }, { b1: { ...onA, note: 'Two' } });
      const { customerId, read, statement, open: cases } = books;
      // They have differed in something else for a hundred days by then.
      await read(b, { b1: { ...onA, note: 'Two', date: '2026-07-01' } });
      const ago = `since = since - interval '100 days'`;
      await stored.query(`update record_versions set ${ago} where customer_id = $1`, [customerId]);
      await stored.query(`update platform_records set ${ago} where customer_id = $1 and platform = $2`, [
        customerId,
        a,
      ]);
      for (const table of ['comparison_states', 'comparison_marks', 'comparisons', 'comparison_cases'])
        await stored.query(`delete from ${table} where customer_id = $1`, [customerId]);
      const query = '?through=2026-06-30&entity_type=payment';
      const said = await statement(query);
      expect(await cases(query)).toMatchObject([{ kind: 'only_on', platform: a, age_days: 0 }]);
      expect(said.types[0].ages).toEqual({ '0-30': 1, '31-60': 0, '61-90': 0, 'over-90': 0 });
      const then = `${query}&as_of=${said.as_of}`;
      expect(await statement(then)).toEqual(said);
      const times = service.app.get(StatementTimes, { strict: false });
      times.touched = -1;
      try {
        expect(await statement(then)).toEqual(said);
      } finally {
        times.touched = new StatementTimes().touched;
      }
    });

    it('count ages by the document, the oldest first', async () => {
      const { open: cases, statement } = await dated();
      const listed = await cases('?age_by=document');
      const days = listed.map(({ document_date: day }) => day).filter((day) => day !== null);
      expect(days).toEqual(days.toSorted());
      expect(listed[0]).toMatchObject({ document_date: '2026-06-01', due_date: null });
      expect(listed[0].age_days).toBe(Math.floor((Date.now() - Date.parse('2026-06-01')) / 86_400_000));
      const seen = await statement('?entity_type=payment');
      const aged = await statement('?entity_type=payment&age_by=document');
      expect(aged.digest).toBe(seen.digest);
      const total = ({ types }: Body): number =>
        Object.values<number>(types[0].ages).reduce((sum, count) => sum + count, 0);
      expect(total(aged)).toBe(total(seen));
      expect(seen.types[0].ages['over-90']).toBe(0);
      expect(aged.types[0].ages['over-90']).toBeGreaterThan(0);
    });
  });
});
