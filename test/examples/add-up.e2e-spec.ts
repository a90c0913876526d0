import { fc, randomCases } from '../../libs/mapper/src/testing/property';
import { ExchangeRatesService } from '../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../src/terms/rates/rates.module';
import { api } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { addUp, cellsOf, csvOf, rowsOf, type Files } from '../support/customers/exported-files';
import { GivenRecords, record } from '../support/platforms/given-records';
import { connect } from '../support/customers/listings';
import { guid } from '../support/records/guid';

jest.setTimeout(300_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const types = ['contract', 'invoice', 'payment'] as const;
const CUT_OFF = '2026-06-30';

const places = (currency: string): number => (currency === 'BHD' ? 3 : currency === 'JPY' ? 0 : 2);

/** A document on one platform or on both. */
interface Item {
  readonly type: (typeof types)[number];
  readonly on: 'a' | 'b' | 'both';
  readonly number: number;
  /** On platform_a: the native ID of its project; 0 for none. */
  readonly project: number;
  /** On platform_b: the key of its project. */
  readonly dimension: string;
  readonly minor: number;
  /** What platform_b has beyond it, in minor units; undefined where it has no amount. */
  readonly beyond: number | undefined;
  readonly currency: string;
  /** On platform_a and on platform_b. */
  readonly dates: readonly [string | undefined, string | undefined];
}

const item: fc.Arbitrary<Item> = fc.record({
  type: fc.constantFrom(...types),
  on: fc.constantFrom('a' as const, 'b' as const, 'both' as const, 'both' as const, 'both' as const),
  // Few numbers, so that some records share theirs.
  number: fc.integer({ min: 1, max: 25 }),
  project: fc.constantFrom(0, 1, 2),
  dimension: fc.constantFrom('', 'P-1', 'P-2', 'NONE'),
  minor: fc.integer({ min: 0, max: 1_000_000 }),
  beyond: fc.constantFrom(0, 0, 0, 1, -50_000, undefined),
  // EUR and GBP have rates with the statement's currency or between each other alone, JPY has none, and XQQ does not exist.
  currency: fc.constantFrom('USD', 'AED', 'QAR', 'BHD', 'EUR', 'GBP', 'JPY', 'XQQ'),
  dates: fc.constantFrom<Item['dates']>(
    ['2026-06-30', '2026-06-30'],
    ['2026-06-29', '2026-07-01'],
    ['2026-07-02', '2026-05-01'],
    ['2026-08-01', '2026-08-02'],
    [undefined, '2026-07-01'],
    [undefined, undefined],
  ),
});

function onA(items: readonly Item[]) {
  return items.flatMap(({ type, on, number, project, minor, dates: [date] }, place) => {
    if (on === 'b') return [];
    const id = place + 1;
    const amount = (minor / 100).toFixed(2);
    const of = project === 0 ? {} : { project_id: project };
    if (type === 'contract') {
      const its = project === 0 ? {} : { project: { id: project } };
      const dated = place % 2 === 0 ? { contract_date: date } : { contract_start_date: date };
      const contract = { id, number: `C-${number}`, title: `="C"`, ...its, ...dated, grand_total: amount };
      return [record('contract', contract, 'WorkOrderContract')];
    }
    if (type === 'payment')
      return [record('payment', { id, check_number: `K-${number}`, ...of, date, amount })];
    const summary = { current_payment_due: amount };
    return [record('invoice', { id, invoice_number: `I-${number}`, ...of, billing_date: date, summary })];
  });
}

// Units of a currency in hundredths of a dollar, roughly: so amounts are equal at the rate, or nearly so.
const rough: Readonly<Record<string, number>> = { AED: 3.6725, QAR: 3.64, BHD: 0.376 };

function onB(items: readonly Item[]) {
  return items.flatMap(({ type, on, number, dimension, minor, beyond, currency, dates: [, date] }, place) => {
    if (on === 'a') return [];
    const own = (minor / 100) * (rough[currency] ?? 1);
    const amount =
      beyond === undefined ? null : Number((own + beyond / 10 ** places(currency)).toFixed(places(currency)));
    const document = { id: guid(place + 1), currencyCode: currency, shortcutDimension1Code: dimension };
    if (type === 'contract')
      return [
        record('contract', {
          ...document,
          externalDocumentNumber: `C-${number}`,
          orderDate: date,
          totalAmountExcludingTax: amount,
        }),
      ];
    if (type === 'payment')
      return [
        record('payment', {
          id: guid(place + 1),
          currencyCode: currency,
          externalDocumentNumber: `K-${number}`,
          postingDate: date,
          amount: amount === null ? null : -amount,
        }),
      ];
    return [
      record('invoice', {
        ...document,
        externalDocumentNumber: `I-${number}`,
        invoiceDate: date,
        totalAmountIncludingTax: amount,
      }),
    ];
  });
}

const projects = {
  [a]: [1, 2].map((id) => record('project', { id, project_number: `P-${id}`, name: `Tower ${id}` })),
  [b]: [1, 2].map((id) =>
    record('project', { id: guid(900 + id), number: `P-${id}`, displayName: `Tower ${id}` }),
  ),
};

describe('adding up a statement from its files alone', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [RatesModule], sources)));
  afterAll(() => service.close());

  /** Books of both platforms; every second open case of an object is accepted, as chosen. */
  async function open(items: readonly Item[], accepts: (place: number) => boolean) {
    const { key, customerId } = await service.openSession();
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    await rates.set(customerId, { from: 'EUR', to: 'USD', rate: '1.0837' });
    await rates.set(customerId, { from: 'USD', to: 'GBP', rate: '0.7891' });
    sources.give(customerId, a, [...projects[a], ...onA(items)]);
    sources.give(customerId, b, [...projects[b], ...onB(items)]);
    const client = api(service.url, key);
    for (const platform of [a, b]) await connect(client, platform);
    // Cases of two dates are listed at the cut-off alone.
    const lists = await Promise.all(
      ['', `&through=${CUT_OFF}`].map((query) => client.get(`/reconciliation/cases?limit=500${query}`)),
    );
    const listed = lists.flatMap(({ body }): string[] => body.data.map(({ id }: { id: string }) => id));
    const ids = [...new Set(listed)].toSorted().filter((_, place) => accepts(place));
    if (ids.length > 0) {
      const accepted = { reason: 'Known', decided_by: 'Ada' };
      const answer = await client.send('PATCH', '/reconciliation/cases', { body: { ids, accepted } });
      expect(answer.status).toBe(200);
    }
    const { as_of: asOf } = (await client.get('/reconciliation')).body.data;
    const named = await client.get(`/objects?platform=${a}&entity_type=project`);
    return { key, asOf: String(asOf), project: String(named.body.data[0].canonical_id) };
  }

  /** All files of a statement, the cases and the records with or without their heads. */
  async function filesOf(
    { key, asOf }: { readonly key: string; readonly asOf: string },
    { currency, ...scope }: Readonly<Record<string, string>>,
    head = true,
  ): Promise<Files> {
    const query = new URLSearchParams({ as_of: asOf, ...scope }).toString();
    const plain = head ? '' : '&head=false';
    const file = (path: string) => csvOf(service.url, key, path);
    const files: Record<string, string> = {
      'statement.csv': await file(
        `/reconciliation?${query}${currency === undefined ? '' : `&currency=${currency}`}`,
      ),
      'cases.csv': await file(`/reconciliation/cases?${query}${plain}`),
      'accepted.csv': await file(`/reconciliation/cases?${query}&state=accepted${plain}`),
    };
    for (const platform of [a, b]) {
      for (const type of types) {
        files[`${platform}-${type}s.csv`] = await file(
          `/objects?platform=${platform}&entity_type=${type}&as_of=${encodeURIComponent(asOf)}${plain}`,
        );
      }
    }
    return files;
  }

  it('comes to each line of any portfolio: accepted parts, cut-off, project, another currency', async () => {
    const portfolios = fc.array(item, { minLength: 15, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(portfolios, fc.integer({ min: 1, max: 5 }), async (items, every) => {
        const books = await open(items, (place) => place % every === 0);
        const { project } = books;
        const scopes: readonly Readonly<Record<string, string>>[] = [
          {},
          { through: CUT_OFF },
          { project_id: project },
          { project_id: project, through: CUT_OFF },
          { currency: 'BHD' },
        ];
        for (const [place, scope] of scopes.entries()) {
          const { code, out, err } = await addUp(await filesOf(books, scope, place % 2 === 0));
          expect({ scope, code, out: code === 0 ? '' : out, err }).toEqual({
            scope,
            code: 0,
            out: '',
            err: '',
          });
          expect(out).not.toContain('note:');
        }
      }),
      // A portfolio takes seconds, so none is made smaller.
      {
        numRuns: randomCases(1),
        endOnFailure: true,
      },
    );
  });

  const aPayment = (number: number, minor: number, beyond: number | undefined): Item => ({
    type: 'payment',
    on: 'both',
    number,
    project: 0,
    dimension: '',
    minor,
    beyond,
    currency: 'USD',
    dates: [CUT_OFF, CUT_OFF],
  });
  const some: readonly Item[] = [
    aPayment(1, 10_000, 0),
    aPayment(2, 5_000, 1),
    { ...aPayment(3, 700, 0), on: 'a' },
    { ...aPayment(4, 900, 0), on: 'b', dates: [undefined, '2026-07-05'] },
  ];

  it('counts an object at the cut-off as accepted if every case of the record that stands alone is', async () => {
    const alone: Item = { ...aPayment(5, 800, 0), currency: 'XQQ', dates: ['2026-07-02', CUT_OFF] };
    const scope = { entity_type: 'payment', through: CUT_OFF };
    const counts: number[] = [];
    for (const only of [0, 1, 2, undefined]) {
      const books = await open([alone], (place) => only === undefined || place === only);
      const files = await filesOf(books, scope);
      const { code, out } = await addUp(files);
      expect({ only, code, out: code === 0 ? '' : out }).toEqual({ only, code: 0, out: '' });
      const count = rowsOf(files['statement.csv'] ?? '').find(({ figure }) => figure === 'counts.accepted');
      counts.push(Number(count?.['count']));
    }
    expect(counts).toEqual([0, 0, 0, 1]);
  });

  it('counts two amounts that are equal as agreeing, also where only one of them has a rate', async () => {
    const nothing: Item = { ...aPayment(6, 0, 0), currency: 'JPY' };
    const files = await filesOf(await open([nothing], () => false), { entity_type: 'payment' });
    expect(
      rowsOf(files['cases.csv'] ?? '')
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['not_comparable', 'not_comparable']);
    const { code, out } = await addUp(files);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
  });

  it('does not foot when a cent is another one in any of the files', async () => {
    const books = await open(some, (place) => place === 0);
    const files = await filesOf(books, { entity_type: 'payment', through: CUT_OFF });
    const { code, out } = await addUp(files);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    expect(out).toContain('plus: dated after the cut-off, platform_b');
    expect(out).toContain('of which accepted');
    const columns: Readonly<Record<string, string>> = {
      'statement.csv': 'amount',
      'cases.csv': 'difference',
      'accepted.csv': 'difference',
      'platform_a-payments.csv': 'amount',
      'platform_b-payments.csv': 'amount',
    };
    for (const [name, column] of Object.entries(columns)) {
      const file = files[name] ?? '';
      const amounts = rowsOf(file)
        .map((row) => row[column] ?? '')
        .filter((one) => one !== '');
      expect(amounts.length).toBeGreaterThan(0);
      for (const amount of new Set(amounts)) {
        const other = `${amount.slice(0, -1)}${(Number(amount.at(-1)) + 1) % 10}`;
        const columnsOf = cellsOf(file).find((cells) => cells.includes(column)) ?? [];
        const place = columnsOf.indexOf(column);
        const changed = file.replace(
          new RegExp(`^((?:[^,\\r\\n]*,){${place}})${amount.replace('.', '\\.')},`, 'm'),
          `$1${other},`,
        );
        expect(changed).not.toBe(file);
        const result = await addUp({ ...files, [name]: changed });
        expect([name, amount, result.code]).toEqual([name, amount, 1]);
        expect(result.out).toContain('DOES NOT FOOT');
      }
    }
  });

  it('does not foot without a record or a case', async () => {
    const books = await open(some, () => false);
    const files = await filesOf(books, { entity_type: 'payment' });
    for (const name of ['cases.csv', 'platform_a-payments.csv', 'platform_b-payments.csv']) {
      const file = files[name] ?? '';
      const last = file.lastIndexOf('\r\n', file.length - 3);
      const { code, out } = await addUp({ ...files, [name]: file.slice(0, last + 2) });
      expect([name, code]).toEqual([name, 1]);
      expect(out).toContain('Not everything foots.');
    }
  });

  it('says which files it needs, and notes files of another moment or cut-off', async () => {
    const books = await open(some, () => false);
    const files = await filesOf(books, { entity_type: 'payment' });
    const others = Object.fromEntries(Object.entries(files).filter(([name]) => name !== 'statement.csv'));
    expect(await addUp(others)).toMatchObject({ code: 2, err: 'One statement is needed\n' });
    const plain = await csvOf(service.url, books.key, '/reconciliation?head=false');
    expect(await addUp({ ...others, 'statement.csv': plain })).toMatchObject({ code: 2 });
    expect(await addUp({ ...files, 'other.csv': 'a,b\r\n1,2\r\n' })).toMatchObject({ code: 2 });
    const later = await csvOf(service.url, books.key, `/reconciliation/cases?through=${CUT_OFF}`);
    const { out } = await addUp({ ...files, 'cases.csv': later });
    expect(out).toMatch(/note: cases\.csv is of .*, the statement of /);
    expect(out).toContain('note: cases.csv has not the same through as the statement');
  });
});
