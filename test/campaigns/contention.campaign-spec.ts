// Many clients change one object, objects of one invoice, and payments that move between invoices at once, on two instances: no update is lost, no rule broken, nothing deadlocks.
import { fc } from '../../libs/mapper/src/testing/property';
import { api, type Answer } from '../support/api';
import { startApp, type RunningApp } from '../support/app';
import { campaign } from '../support/campaign';
import { portfolioOf, portfolios, type Portfolio, type Portfolios } from '../support/portfolio';

/** Clients that count up one number. */
const COUNTING = 8;

const COUNTED = '1823456';

/** Three payments of one invoice, and one of another; the numbers of the payments are keys. */
const PAYMENTS = ['1823588', '1823634', '1823705', '1823456'] as const;
const INVOICES = ['10071', '10061'] as const;
const NUMBERS = ['CHK-ONE', 'CHK-TWO', 'CHK-THREE'] as const;

/** What one of several clients does at once. */
type Change =
  | { readonly kind: 'pay'; readonly payment: string; readonly cents: number }
  | { readonly kind: 'bill'; readonly invoice: string; readonly cents: number }
  | { readonly kind: 'move'; readonly payment: string; readonly invoice: string }
  | { readonly kind: 'number'; readonly payment: string; readonly number: string };

const payment = fc.constantFrom(...PAYMENTS);
const invoice = fc.constantFrom(...INVOICES);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      payment,
      cents: fc.integer({ min: 1, max: 30_000_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bill' as const),
      invoice,
      cents: fc.integer({ min: 10_000_000, max: 60_000_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), payment, invoice }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('number' as const),
      payment,
      number: fc.constantFrom(...NUMBERS),
    }),
  },
);

campaign('contention', (campaign) => {
  let instances: readonly [RunningApp, RunningApp];
  let all: Portfolios;
  beforeAll(async () => {
    const first = await startApp({ logLevel: 'error' });
    instances = [first, await startApp({ databaseUrl: first.databaseUrl, logLevel: 'error' })];
    all = await portfolios(first);
  });
  afterAll(async () => {
    await all.close();
    const [first, second] = instances;
    await second.close();
    await first.close();
  });

  const urlAt = (place: number): string => instances[place % 2 === 0 ? 0 : 1].url;

  async function expectNoFault(portfolio: Portfolio): Promise<void> {
    for (const { log } of instances) expect(log.filter(({ level }) => level === 'error')).toEqual([]);
    const rows = await portfolio.sql<{ deadlocks: string }>(
      'select deadlocks::text as deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: '0' }]);
  }

  campaign.part('loses no update of one object', async (time) => {
    const portfolio = await all.open();
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', COUNTED);
    await portfolio.canonical('payment', id, { notes: '0' });
    let made = 0;
    const count = async (place: number): Promise<void> => {
      const client = api(urlAt(place), portfolio.key);
      while (time.left()) {
        const { data, version } = (await client.get(`/objects/${id}`)).body.data;
        const body = { format: 'canonical', canonical_id: id, entity_type: 'payment' };
        const next = { notes: String(Number(data.notes) + 1) };
        const { status } = await client.post(
          '/propagate',
          { ...body, data: next },
          { 'If-Match': `"${version}"` },
        );
        expect([200, 409]).toContain(status);
        campaign.count(status === 200 ? 'updates' : 'conflicts of versions');
        if (status === 200) made += 1;
      }
    };
    await Promise.all(Array.from({ length: COUNTING }, (_, place) => count(place)));
    for (const platform of ['platform_a', 'platform_b'] as const)
      expect((await portfolio.find(platform, 'payment', id)).data.notes).toBe(String(made));
    await expectNoFault(portfolio);
  });

  campaign.part('breaks no rule of objects that belong together', async (time) => {
    const portfolio = await all.open();
    await portfolio.setRules('refuse');
    const ids = new Map<string, string>();
    for (const type of ['payment', 'invoice'] as const)
      for (const { id, canonical_id } of await portfolio.list('platform_a', type)) ids.set(id, canonical_id);
    const idOf = (id: string): string => ids.get(id) ?? '';

    function send(one: Change, place: number): Promise<Answer> {
      const through = portfolioOf(urlAt(place), portfolio, all.database);
      const amount = 'cents' in one ? { amount: { amount: one.cents, currency: 'USD' } } : {};
      switch (one.kind) {
        case 'pay':
          return through.canonical('payment', idOf(one.payment), amount);
        case 'bill':
          return through.canonical('invoice', idOf(one.invoice), amount);
        case 'move':
          return through.canonical('payment', idOf(one.payment), { invoice_id: idOf(one.invoice) });
        case 'number':
          return through.native('platform_a', 'payment', one.payment, { check_number: one.number });
      }
    }

    async function expectRules(): Promise<void> {
      const payments = await portfolio.list('platform_a', 'payment');
      const invoices = await portfolio.list('platform_a', 'invoice');
      for (const { canonical_id: id, data } of invoices.filter(({ id }) =>
        INVOICES.some((one) => one === id),
      )) {
        const paid = payments
          .filter(({ data: of }) => of.invoice_id === id)
          .reduce((sum, { data: of }) => sum + (of.amount.amount as number), 0);
        expect({ id, paid, isPaidAbove: paid > data.amount.amount }).toEqual({
          id,
          paid,
          isPaidAbove: false,
        });
      }
      const numbers = payments
        .map(({ data }) => data.check_number)
        .filter((number) => NUMBERS.includes(number));
      expect(new Set(numbers).size).toBe(numbers.length);
      const onB = new Map(
        (await portfolio.list('platform_b', 'payment')).map((one) => [one.canonical_id, one.data]),
      );
      for (const { canonical_id: id, data } of payments) if (onB.has(id)) expect(onB.get(id)).toEqual(data);
    }

    await expectRules();
    for (const changes of time.cases(fc.array(change, { minLength: 4, maxLength: 10 }))) {
      const answers = await Promise.all(changes.map(send));
      for (const { status } of answers) {
        expect([200, 409, 422]).toContain(status);
        campaign.count(status === 200 ? 'changes together' : 'refused');
      }
      campaign.count('bursts');
      await expectRules();
    }
    await expectNoFault(portfolio);
  });
});
