import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { guid } from '../../support/records/guid';

jest.setTimeout(120_000);

type Body = ReturnType<typeof JSON.parse>;

const [a, b] = ['platform_a', 'platform_b'] as const;
const types = ['contract', 'invoice', 'payment'] as const;
type Type = (typeof types)[number];

/** One thing with an amount, on one platform or on both. */
interface Item {
  readonly type: Type;
  readonly on: 'a' | 'b' | 'both';
  /** On platform_a: the native ID of a project; 0 for none. */
  readonly project: number;
  /** On platform_b: the key that a document names, or for a payment the place of the invoice that it pays. */
  readonly dimension: string;
  readonly pays: number;
  /** Cents, and hundredths of the currency. */
  readonly left: number;
  readonly right: number;
  readonly currency: keyof typeof pegs;
}

// Units to one dollar, in ten thousandths.
const pegs = { USD: 10_000n, QAR: 36_400n, AED: 36_725n } as const;

/** Hundredths in cents, rounded half to even. */
function dollars(amount: number, currency: Item['currency']): bigint {
  const [top, bottom] = [BigInt(amount) * 10_000n, pegs[currency]];
  const [whole, twice] = [top / bottom, 2n * (top % bottom)];
  return whole + (twice > bottom || (twice === bottom && whole % 2n === 1n) ? 1n : 0n);
}

const item: fc.Arbitrary<Item> = fc.record({
  type: fc.constantFrom(...types),
  on: fc.constantFrom('a' as const, 'b' as const, 'both' as const, 'both' as const, 'both' as const),
  project: fc.integer({ min: 0, max: 3 }),
  dimension: fc.constantFrom('', 'P-1', 'P-2', 'P-3', 'p-2 ', 'NONE'),
  pays: fc.integer({ min: -5, max: 19 }),
  left: fc.integer({ min: 0, max: 1_000_000 }),
  right: fc.integer({ min: 0, max: 1_000_000 }),
  currency: fc.constantFrom('USD' as const, 'QAR' as const, 'AED' as const),
});

const decimal = (amount: number): string => (amount / 100).toFixed(2);

function onA(items: readonly Item[]) {
  return items.flatMap(({ type, on, project, left }, place) => {
    if (on === 'b') return [];
    const of = project === 0 ? {} : { project_id: project };
    const id = place + 1;
    if (type === 'contract') {
      const its = project === 0 ? {} : { project: { id: project } };
      const contract = { id, number: `C-${place}`, ...its, grand_total: decimal(left) };
      return [record('contract', contract, 'WorkOrderContract')];
    }
    if (type === 'payment') {
      return [record('payment', { id, check_number: `K-${place}`, ...of, amount: decimal(left) })];
    }
    const summary = { current_payment_due: decimal(left) };
    return [record('invoice', { id, invoice_number: `I-${place}`, ...of, summary })];
  });
}

function onB(items: readonly Item[]) {
  return items.flatMap(({ type, on, dimension, pays, right, currency }, place) => {
    if (on === 'a') return [];
    const id = guid(place + 1);
    const document = { id, currencyCode: currency, shortcutDimension1Code: dimension };
    const amount = right / 100;
    if (type === 'contract') {
      return [
        record('contract', {
          ...document,
          externalDocumentNumber: `C-${place}`,
          totalAmountExcludingTax: amount,
        }),
      ];
    }
    if (type === 'payment') {
      const paid = pays >= 0 ? { appliesToInvoiceId: guid(pays + 1) } : {};
      const payment = { id, currencyCode: currency, ...paid, amount: -amount };
      return [record('payment', { ...payment, externalDocumentNumber: `K-${place}` })];
    }
    return [
      record('invoice', {
        ...document,
        externalDocumentNumber: `I-${place}`,
        totalAmountIncludingTax: amount,
      }),
    ];
  });
}

const projectsOnA = [1, 2, 3].map((id) => record('project', { id, project_number: `P-${id}` }));
// The third project is on platform_a alone, and platform_b has no more than its key.
const projectsOnB = [1, 2].map((id) => record('project', { id: guid(900 + id), number: `P-${id}` }));

/** The project that a record names, by what the payloads say: undefined for none, null for one that is not known. */
function named(platform: 'a' | 'b', items: readonly Item[], place: number): string | null | undefined {
  const it = items[place];
  if (it === undefined) return undefined;
  if (platform === 'a') return it.project === 0 ? undefined : `P-${it.project}`;
  const known = (dimension: string) =>
    ['P-1', 'P-2'].find((one) => one === dimension.trim().toUpperCase()) ?? undefined;
  if (it.type === 'payment') {
    const paid = items[it.pays];
    return paid?.type === 'invoice' && paid.on !== 'a' ? known(paid.dimension) : undefined;
  }
  if (it.dimension === '') return undefined;
  const isLinkedThere = it.dimension === 'P-3' && it.on === 'both' && it.project === 3;
  return known(it.dimension) ?? (isLinkedThere ? 'P-3' : null);
}

/** In which projects the records of an item count. */
function projectsOf(items: readonly Item[], place: number): readonly [string | null, string | null] {
  const on = items[place]?.on;
  const [left, right] = [named('a', items, place), named('b', items, place)];
  const of = (own: typeof left, other: typeof left) => (own === undefined ? other : own) ?? null;
  return [
    on === 'b' ? null : of(left, on === 'a' ? undefined : right),
    on === 'a' ? null : of(right, on === 'b' ? undefined : left),
  ];
}

describe('the statement of a project', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [], sources)));
  afterAll(() => service.close());

  async function open(items: readonly Item[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (now: readonly Item[]) => {
      sources.give(customerId, a, [...projectsOnA, ...onA(now)]);
      sources.give(customerId, b, [...projectsOnB, ...onB(now)]);
      for (const platform of [a, b]) await connect(client, platform);
    };
    await read(items);
    const { body } = await client.get('/objects?platform=platform_a&entity_type=project');
    const ids = new Map<string, string>(
      body.data.map((one: Body) => [one.platform_data.project_number, one.canonical_id]),
    );
    const statement = async (number?: string, more = ''): Promise<Body> => {
      const scope = number === undefined ? '' : `&project_id=${ids.get(number)}`;
      const { status, body: answer } = await client.get(`/reconciliation?platforms=${a},${b}${scope}${more}`);
      expect([status, answer.error?.message]).toEqual([200, undefined]);
      return answer.data;
    };
    const cases = async (number?: string): Promise<Body> => {
      const scope = number === undefined ? '' : `&project_id=${ids.get(number)}`;
      return (await client.get(`/reconciliation/cases?limit=500${scope}`)).body.data;
    };
    return { client, key, ids, read, statement, cases };
  }

  const totalsOf = (statement: Body, type: Type): Body =>
    statement.types.find((one: Body) => one.entity_type === type).totals;
  const line = (totals: Body, cause: string): Body => totals.lines.find((one: Body) => one.cause === cause);
  const usd = (amount: number) => ({ amount, currency: 'USD' });

  const invoice = (more: Partial<Item>): Item => ({
    type: 'invoice',
    on: 'both',
    project: 1,
    dimension: 'P-1',
    pays: -1,
    left: 10_000,
    right: 10_000,
    currency: 'USD',
    ...more,
  });

  it('counts an invoice that the platforms book on different projects once on each', async () => {
    const { statement, cases, ids, client, key } = await open([
      invoice({}),
      invoice({ dimension: 'P-2', left: 700, right: 900 }),
    ]);
    const [first, second] = await Promise.all([statement('P-1'), statement('P-2')]);
    const [from, to] = [totalsOf(first, 'invoice'), totalsOf(second, 'invoice')];
    expect([from.from.records, from.from.sum, from.to.records, from.to.sum]).toEqual([
      2,
      usd(10_700),
      1,
      usd(10_000),
    ]);
    const accepted = { objects: 0, amount: usd(0) };
    expect(line(from, 'other_project')).toEqual({
      cause: 'other_project',
      objects: 1,
      amount: usd(-700),
      accepted,
    });
    expect([to.from.records, to.from.sum, to.to.records, to.to.sum]).toEqual([0, usd(0), 1, usd(900)]);
    expect(line(to, 'other_project')).toEqual({
      cause: 'other_project',
      objects: 1,
      amount: usd(900),
      accepted,
    });

    const whole = totalsOf(await statement(), 'invoice');
    expect([whole.from.sum, whole.to.sum]).toEqual([usd(10_700), usd(10_900)]);
    expect(line(whole, 'amounts_disagree')).toMatchObject({ objects: 1, amount: usd(200) });
    expect(line(whole, 'other_project')).toBeUndefined();

    const projects = { platform_a: ids.get('P-1'), platform_b: ids.get('P-2') };
    const [mine, ...others] = (await cases('P-1')).filter((one: Body) => one.kind === 'other_project');
    expect(others).toEqual([]);
    expect(mine).toMatchObject({
      entity_type: 'invoice',
      platform: a,
      field: 'project_id',
      project_id: ids.get('P-1'),
      projects,
      number: 'I-1',
      amount: usd(700),
      difference: usd(-700),
      records: [
        { platform: a, platform_id: '2' },
        { platform: b, platform_id: guid(2) },
      ],
    });
    const detail = (await client.get(`/reconciliation/cases/${mine.id}`)).body.data;
    expect(detail).toMatchObject({ kind: 'other_project', projects, difference: usd(-700) });
    expect((await cases('P-2')).map((one: Body) => [one.kind, one.difference?.amount])).toEqual([
      ['other_project', 900],
    ]);

    const file = await fetch(`${service.url}/api/v1/reconciliation/cases?project_id=${ids.get('P-2')}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    expect(await file.text()).toContain(`platform_a ${ids.get('P-1')}; platform_b ${ids.get('P-2')}`);
  });

  it('lets a record that names no project follow the one that is linked to it, and no unknown one', async () => {
    const { statement } = await open([
      invoice({ dimension: '', left: 100, right: 100 }),
      invoice({ project: 0, left: 20, right: 20 }),
      invoice({ dimension: 'NONE', left: 3, right: 3 }),
      // Only platform_a has the project, and platform_b names its key.
      invoice({ project: 3, dimension: 'p-3', left: 5, right: 5 }),
      invoice({ type: 'payment', pays: 0, dimension: '' }),
    ]);
    const first = totalsOf(await statement('P-1'), 'invoice');
    expect([first.from.sum.amount, first.to.sum.amount]).toEqual([123, 120]);
    expect(line(first, 'other_project')).toMatchObject({ objects: 1, amount: usd(-3) });
    const third = totalsOf(await statement('P-3'), 'invoice');
    expect([third.from.sum.amount, third.to.sum.amount]).toEqual([5, 5]);
    const payments = totalsOf(await statement('P-1'), 'payment');
    expect([payments.from.sum.amount, payments.to.sum.amount]).toEqual([10_000, 10_000]);
  });

  it('follows a payment whose invoice goes to another project, and says how it was', async () => {
    const before = [invoice({}), invoice({ type: 'payment', pays: 0, left: 40, right: 40 })];
    const { read, statement } = await open(before);
    const earlier = await statement('P-1');
    expect(totalsOf(earlier, 'payment').to.sum).toEqual(usd(40));
    await read([invoice({ dimension: 'P-2' }), ...before.slice(1)]);
    const now = await statement('P-1');
    expect(line(totalsOf(now, 'payment'), 'other_project')).toMatchObject({ objects: 1, amount: usd(-40) });
    expect(await statement('P-1', `&as_of=${earlier.as_of}`)).toEqual({ ...earlier, as_of: earlier.as_of });
    expect(await statement('P-1', `&as_of=${now.as_of}`)).toEqual(now);
  });

  it('foots in random portfolios: its sums are those of the records that name it, its lines those of its cases', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 8, maxLength: 20 }), async (items) => {
        const { statement, cases } = await open(items);
        for (const scope of [undefined, 'P-1', 'P-2', 'P-3']) {
          const [found, listed] = await Promise.all([statement(scope), cases(scope)]);
          for (const type of types) {
            const totals = totalsOf(found, type);
            const sums = [0n, 0n];
            const records = [0, 0];
            items.forEach((one, place) => {
              if (one.type !== type) return;
              projectsOf(items, place).forEach((project, side) => {
                if (one.on === (side === 0 ? 'b' : 'a') || (scope !== undefined && project !== scope)) return;
                sums[side] =
                  (sums[side] ?? 0n) + (side === 0 ? BigInt(one.left) : dollars(one.right, one.currency));
                records[side] = (records[side] ?? 0) + 1;
              });
            });
            expect([scope, type, totals.from.sum.amount, totals.to.sum.amount]).toEqual([
              scope,
              type,
              ...sums.map(Number),
            ]);
            expect([totals.from.records, totals.to.records]).toEqual(records);
            const lines = totals.lines.reduce((sum: number, one: Body) => sum + one.amount.amount, 0);
            expect(totals.from.sum.amount + lines).toBe(totals.to.sum.amount);
            const behind = (kind: string, field?: string): number =>
              listed
                .filter((one: Body) => one.entity_type === type && one.kind === kind)
                .filter((one: Body) => field === undefined || one.field === field)
                .reduce((sum: number, one: Body) => sum + (one.difference?.amount ?? 0), 0);
            const apart =
              line(totals, 'only_on_platform_a').amount.amount +
              line(totals, 'only_on_platform_b').amount.amount;
            expect(behind('only_on')).toBe(apart);
            expect(behind('disagreement', 'amount')).toBe(line(totals, 'amounts_disagree').amount.amount);
            expect(behind('other_project')).toBe(line(totals, 'other_project')?.amount.amount ?? 0);
          }
          const past = await statement(scope, `&as_of=${found.as_of}`);
          expect(past.digest).toBe(found.digest);
        }
      }),
      { numRuns: randomCases(3) },
    );
  });
});
