// Many clients change one object, objects of one invoice or contract, and records that move between them at once, on two instances: no update is lost, no rule broken, nothing deadlocks.
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../libs/mapper/src/testing/property';
import { api, type ApiResponse } from '../support/app/api';
import { campaign, type CampaignTime } from '../support/campaign/campaign';
import { portfolioOf, type Listed, type Portfolio } from '../support/customers/portfolio';
import type { ServiceProcess } from '../support/processes/service-process';
import { servicesToKill } from '../support/processes/services-to-kill';

/** The number of customers whose clients work concurrently. */
const CUSTOMERS = 6;

/** The number of clients of a customer that increment one number, each based on the version that it has read. */
const COUNTING = 3;

/** Milliseconds between two checks of whether the number has grown. */
const PAUSE_MS = 5;

const COUNTED = '1823456';

/** Fields of the same object, each set by one client regardless of the version. The last value of each must stay. */
const SET = ['check_number', 'description'] as const;

/** The invoices of three contracts, and payments that move between them. The numbers of payments are keys. */
const GROUPS = [
  { invoices: ['10064', '10082'], payments: ['1823391', '1823502'] },
  { invoices: ['10071', '10074'], payments: ['1823588', '1823634', '1823705'] },
  { invoices: ['10061'], payments: ['1823456'] },
] as const;
const NUMBERS = ['CHK-ONE', 'CHK-TWO', 'CHK-THREE'] as const;

/** The invoices and their contracts whose amount is not the sum of lines. */
const BILLED = ['10064', '10082', '10074', '10061'] as const;
const VALUED = ['1945782'] as const;

/** One of several concurrent changes. */
type Change =
  | { readonly kind: 'pay'; readonly payment: string; readonly cents: number }
  | { readonly kind: 'bill'; readonly invoice: string; readonly cents: number }
  | { readonly kind: 'value'; readonly contract: string; readonly cents: number }
  | { readonly kind: 'move'; readonly payment: string; readonly invoice: string }
  | { readonly kind: 'number'; readonly payment: string; readonly number: string };

const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);
const cents = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const payment = fc.constantFrom(...GROUPS.flatMap(({ payments }) => payments));
const change = fc.oneof<fc.WeightedArbitrary<Change>[]>(
  { weight: 5, arbitrary: fc.record({ kind: kind('pay'), payment, cents: cents(1, 20_000_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('bill'),
      invoice: fc.constantFrom(...BILLED),
      cents: cents(5_000_000, 100_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('value'),
      contract: fc.constantFrom(...VALUED),
      cents: cents(20_000_000, 100_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...GROUPS).chain(({ invoices, payments }) =>
      fc.record({
        kind: kind('move'),
        payment: fc.constantFrom(...payments),
        invoice: fc.constantFrom(...invoices),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('number'), payment, number: fc.constantFrom(...NUMBERS) }),
  },
);

campaign('contention', (campaign) => {
  const services = servicesToKill();
  const start = () => services.start({ logLevel: 'error' });

  /** Does the work of each customer concurrently, on two instances that must log nothing. */
  async function eachCustomer(
    time: CampaignTime,
    work: (portfolio: Portfolio, urlAt: (place: number) => string) => Promise<void>,
  ): Promise<void> {
    const instances: readonly [ServiceProcess, ServiceProcess] = [await start(), await start()];
    const urlAt = (place: number): string => instances[place % 2 === 0 ? 0 : 1].url;
    const said = instances.map(({ output }) => output.length);
    const portfolios: Portfolio[] = [];
    for (let place = 0; place < CUSTOMERS; place++) {
      const portfolio = await services.open(instances[0]);
      // By default a payment may move to an invoice that it then exceeds, with a warning.
      await portfolio.setRules('refuse');
      portfolios.push(portfolio);
    }
    do await Promise.all(portfolios.map((portfolio) => work(portfolio, urlAt)));
    while (time.left());
    for (const [place, { output }] of instances.entries()) expect(output.slice(said[place])).toEqual([]);
    const { rows } = await services.client.query<{ deadlocks: string }>(
      'select deadlocks::text as deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: '0' }]);
  }

  campaign.part('loses no update of one object', async (time) => {
    await eachCustomer(time, async (portfolio, urlAt) => {
      const { canonical_id: id } = await portfolio.find('platform_a', 'payment', COUNTED);
      await portfolio.canonical('payment', id, { notes: '0' });
      const body = { format: 'canonical', canonical_id: id, entity_type: 'payment' };
      const isOver = { now: false };
      let made = 0;
      const count = async (place: number): Promise<void> => {
        const client = api(urlAt(place), portfolio.key);
        while (time.left()) {
          const { data, version } = (await client.get(`/objects/${id}`)).body.data;
          const next = { notes: String(Number(data.notes) + 1) };
          const { status } = await client.post(
            '/propagate',
            { ...body, data: next },
            { 'If-Match': `"${version}"` },
          );
          expect([200, 409]).toContain(status);
          campaign.count(status === 200 ? 'updates that count' : 'conflicts of versions');
          if (status === 200) made += 1;
        }
      };
      const last = new Map<string, string>();
      const set = async (field: string, place: number): Promise<void> => {
        const client = api(urlAt(place), portfolio.key);
        for (let value = 0; !isOver.now; value++) {
          // Waits until a counting client has succeeded, because clients without a version are always faster.
          for (const seen = made; made === seen && !isOver.now;) await sleep(PAUSE_MS);
          const { status } = await client.post('/propagate', {
            ...body,
            data: { [field]: `${field} ${value}` },
          });
          expect(status).toBe(200);
          campaign.count('updates of other fields');
          last.set(field, `${field} ${value}`);
        }
      };
      const counting = Promise.all(Array.from({ length: COUNTING }, (_, place) => count(place)));
      const over = counting.finally(() => (isOver.now = true));
      await Promise.all([over, ...SET.map(set)]);
      for (const platform of ['platform_a', 'platform_b'] as const)
        expect((await portfolio.find(platform, 'payment', id)).data).toMatchObject({
          notes: String(made),
          ...Object.fromEntries(last),
        });
    });
  });

  campaign.part('breaks no rule of objects that belong together', async (time) => {
    const cases = time.cases(fc.array(change, { minLength: 6, maxLength: 14 }));
    await eachCustomer(time, async (portfolio, urlAt) => {
      const ids = new Map<string, string>();
      for (const type of ['payment', 'invoice', 'contract'] as const)
        for (const { id, canonical_id } of await portfolio.list('platform_a', type))
          ids.set(`${type} ${id}`, canonical_id);
      const idOf = (type: string, id: string): string => ids.get(`${type} ${id}`) ?? '';
      const places = [0, 1].map((place) => portfolioOf(urlAt(place), portfolio, services.client));

      function send(one: Change, place: number): Promise<ApiResponse> {
        const through = places[place % 2] ?? portfolio;
        const amount = 'cents' in one ? { amount: { amount: one.cents, currency: 'USD' } } : {};
        switch (one.kind) {
          case 'pay':
            return through.canonical('payment', idOf('payment', one.payment), amount);
          case 'bill':
            return through.canonical('invoice', idOf('invoice', one.invoice), amount);
          case 'value':
            return through.canonical('contract', idOf('contract', one.contract), amount);
          case 'move':
            return through.canonical('payment', idOf('payment', one.payment), {
              invoice_id: idOf('invoice', one.invoice),
            });
          case 'number':
            return through.native('platform_a', 'payment', one.payment, { check_number: one.number });
        }
      }

      async function expectRules(): Promise<void> {
        const payments = await portfolio.list('platform_a', 'payment');
        const invoices = await portfolio.list('platform_a', 'invoice');
        const contracts = await portfolio.list('platform_a', 'contract');
        expect([
          ...above(
            invoices,
            'invoice',
            ({ amount }) => amount.amount,
            payments,
            ({ amount }) => amount,
          ),
          ...above(
            contracts,
            'contract',
            ({ amount, approved_changes: changes }) => amount.amount + (changes?.amount ?? 0),
            invoices,
            ({ net_amount: net, amount }) => net ?? amount,
          ),
        ]).toEqual([]);
        const numbers = payments
          .map(({ data }) => data.check_number)
          .filter((number) => NUMBERS.includes(number));
        expect(new Set(numbers).size).toBe(numbers.length);
        const onB = new Map<string, unknown>();
        for (const type of ['payment', 'invoice', 'contract'] as const)
          for (const one of await portfolio.list('platform_b', type)) onB.set(one.canonical_id, one.data);
        for (const { canonical_id: id, data } of [...payments, ...invoices, ...contracts])
          if (onB.has(id)) expect(onB.get(id)).toEqual(data);
      }

      /** The parents whose children add up to more than they allow. */
      function above(
        parents: readonly Listed[],
        name: string,
        limitOf: (data: Listed['data']) => number,
        children: readonly Listed[],
        amountOf: (data: Listed['data']) => { readonly amount: number },
      ): readonly object[] {
        return parents
          .map(({ id, canonical_id, data }) => {
            const own = children.filter(({ data: child }) => child[`${name}_id`] === canonical_id);
            const sum = own.reduce((total, { data: child }) => total + amountOf(child).amount, 0);
            return { [name]: id, sum, limit: limitOf(data) };
          })
          .filter(({ sum, limit }) => sum > limit);
      }

      await expectRules();
      for (const changes of cases) {
        const answers = await Promise.all(changes.map(send));
        for (const [place, { status }] of answers.entries()) {
          expect([200, 409, 422]).toContain(status);
          campaign.count(status === 200 ? `${changes[place]?.kind}` : 'refused');
        }
        campaign.count('bursts');
        await expectRules();
      }
    });
  });
});
