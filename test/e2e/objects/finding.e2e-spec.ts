import type { PlatformName, StoredEntityType } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, type ListedObject } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(180_000);

type Client = ReturnType<typeof api>;

/** An element of a listing of objects. */
interface ListedWithRecords extends Omit<ListedObject, 'id' | 'platform' | 'platform_data'> {
  readonly records: Readonly<
    Partial<Record<PlatformName, { readonly id: string; readonly platform_data: object }>>
  >;
}

const projects = [
  record('project', { id: 1, project_number: 'LEX-001', name: 'Lusail  EXPO Tower', active: true }),
  record('project', { id: 2, project_number: 'LEX-002', name: "Straße d'Or", active: false }),
];
const contracts = [
  record(
    'contract',
    {
      id: 10,
      number: 'SC-001',
      title: 'Steel works',
      project: { id: 1 },
      status: 'Approved',
      contract_date: '2026-01-05',
    },
    'WorkOrderContract',
  ),
  record(
    'contract',
    {
      id: 11,
      number: 'SC-002',
      title: 'Glass',
      project: { id: 2 },
      status: 'Draft',
      contract_date: '2026-02-28',
    },
    'WorkOrderContract',
  ),
];
const payment = (id: number, more: object = {}) =>
  record('payment', { id, check_number: `CHK-${id}`, amount: `${id}.00`, ...more });
const payments = [
  payment(1, { date: '2026-01-01', status: 'paid', project_id: 1 }),
  payment(2, { date: '2026-01-02', status: 'pending', project_id: 1 }),
  payment(3, { date: '2026-01-03', status: 'paid', project_id: 2 }),
  payment(12, { date: '2026-01-04', status: 'paid' }),
];

describe('finding objects', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const path = (type: StoredEntityType, more: string, platform: PlatformName | undefined = 'platform_a') =>
    `/objects?entity_type=${type}&platform=${platform}${more}`;
  const anyPlatform = (type: StoredEntityType, more: string) => `/objects?entity_type=${type}${more}`;

  async function open(records = [...projects, ...contracts, ...payments]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const platform = new MovingPlatform(records);
    sources.use(customerId, 'platform_a', platform);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-12', externalDocumentNumber: 'CHK-12', postingDate: '2026-03-01' }),
    ]);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const readAll = () => readPlatform(service, { customerId, platform: 'platform_a' });
    return { client, customerId, platform, readAll };
  }

  async function found<Row>(client: Client, target: string): Promise<readonly Row[]> {
    const { status, body } = await client.get(target);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data;
  }

  /** Native IDs, which are numbers. */
  const ids = async (client: Client, type: StoredEntityType, more: string) =>
    (await found<ListedObject>(client, path(type, more))).map(({ id }) => Number(id));

  async function pages(client: Client, target: string): Promise<readonly ListedObject[]> {
    const all: ListedObject[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { body } = await client.get(`${target}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      all.push(...body.data);
      cursor = body.next_cursor as string | null;
    }
    return all;
  }

  describe('in the records of a platform', () => {
    let client: Client;
    beforeAll(async () => {
      ({ client } = await open());
    });

    it.each<[StoredEntityType, string, readonly number[]]>([
      ['project', 'lex', [1, 2]],
      ['project', 'LEX-001', [1]],
      ['project', 'tower', [1]],
      ['project', 'tow%20lusa', [1]],
      ['project', '%EF%BC%AC%EF%BD%95sail', [1]], // full width letters
      ['project', 'strass', [2]],
      ['project', "d'or", [2]],
      ['project', 'ower', []],
      ['project', 'lusail%20glass', []],
      ['project', "'%20%7C%20!%3A*%20%5C", []],
      ['contract', 'sc-00', [10, 11]],
      ['contract', 'works', [10]],
      ['payment', 'chk-1', [1, 12]],
    ])('%s with q=%s', async (type, q, expected) => {
      expect(await ids(client, type, `&q=${q}`)).toEqual(expected);
      expect((await pages(client, path(type, `&q=${q}&limit=1`))).map(({ id }) => Number(id))).toEqual(
        expected,
      );
    });

    it('by status, where one of its records has it', async () => {
      expect(await ids(client, 'payment', '&status=paid')).toEqual([1, 3, 12]);
      expect(await ids(client, 'payment', '&status=failed')).toEqual([]);
      const rows = await found<ListedObject>(client, path('payment', '&status=paid', 'platform_b'));
      expect(rows.map(({ id }) => id)).toEqual(['b-12']);
    });

    it('by project, by its ID', async () => {
      const [first] = await found<ListedObject>(client, path('project', '&q=lex-001'));
      expect(await ids(client, 'payment', `&project_id=${first?.canonical_id}`)).toEqual([1, 2]);
      expect(await ids(client, 'contract', `&project_id=${first?.canonical_id}`)).toEqual([10]);
      expect(await ids(client, 'payment', '&project_id=proj_00000000000000000000000000000000')).toEqual([]);
    });

    it('by project, where it follows from the contract or the invoice, also when these change or come later', async () => {
      const contract = (id: number, project?: number) =>
        record(
          'contract',
          { id, number: `SC-${id}`, ...(project !== undefined && { project: { id: project } }) },
          'WorkOrderContract',
        );
      const invoice = (id: number, more: object) =>
        record('invoice', { id, invoice_number: `INV-${id}`, ...more });
      const opened = await open([
        ...projects,
        contract(10, 1),
        contract(11),
        invoice(100, { commitment_id: 10 }),
        invoice(101, { commitment_id: 10, project_id: 2 }),
        invoice(102, { commitment_id: 11 }),
        invoice(103, { commitment_id: 12 }),
        payment(1, { requisition_id: 100 }),
        payment(2, { requisition_id: 101 }),
        payment(3, { contract_id: 10 }),
        payment(4, { requisition_id: 102, contract_id: 10 }),
        payment(5, { requisition_id: 100, project_id: 2 }),
        payment(6, { requisition_id: 103 }),
        payment(12, { contract_id: 11 }),
      ]);
      const [one, two] = await found<ListedObject>(opened.client, path('project', '&q=lex'));
      const both = async (type: StoredEntityType, more = '') => [
        await ids(opened.client, type, `&project_id=${one?.canonical_id}${more}`),
        await ids(opened.client, type, `&project_id=${two?.canonical_id}${more}`),
      ];
      expect(await both('contract')).toEqual([[10], []]);
      expect(await both('invoice')).toEqual([[100], [101]]);
      expect(await both('payment')).toEqual([
        [1, 3, 4],
        [2, 5],
      ]);
      expect(await both('payment', '&sort=-amount&include_deleted=false')).toEqual([
        [4, 3, 1],
        [5, 2],
      ]);
      const objects = `&q=chk&project_id=${one?.canonical_id}`;
      expect(await pages(opened.client, anyPlatform('payment', `${objects}&limit=1`))).toHaveLength(3);
      const { body } = await opened.client.get(anyPlatform('payment', `${objects}&limit=1&count=true`));
      expect(body).toMatchObject({ total: 3, total_exact: true });
      opened.platform.put(contract(10, 2));
      opened.platform.put(contract(12, 1));
      opened.platform.put(contract(11, 1));
      await opened.readAll();
      expect(await both('invoice')).toEqual([
        [102, 103],
        [100, 101],
      ]);
      expect(await both('payment')).toEqual([
        [6, 12],
        [1, 2, 3, 4, 5],
      ]);
      opened.platform.remove('payment', '6');
      await opened.readAll();
      await opened.readAll();
      expect(await both('payment', '&include_deleted=true')).toEqual([
        [6, 12],
        [1, 2, 3, 4, 5],
      ]);
    });

    it('by the date of the document, both days included', async () => {
      expect(await ids(client, 'payment', '&date_from=2026-01-02&date_to=2026-01-03')).toEqual([2, 3]);
      expect(await ids(client, 'payment', '&date_from=2026-01-04')).toEqual([12]);
      // Records may have a date of any year, such as 9999 for one that is not known.
      expect(await ids(client, 'payment', '&date_from=2026-01-04&date_to=9999-12-31')).toEqual([12]);
      expect(await ids(client, 'payment', '&date_from=0001-01-01&date_to=0999-12-31')).toEqual([]);
      expect(await ids(client, 'contract', '&date_to=2026-01-31')).toEqual([10]);
    });

    it('in the order of their dates, up or down', async () => {
      for (const [sort, expected] of [
        ['id', [1, 2, 3, 12]],
        ['date', [1, 2, 3, 12]],
        ['-date', [12, 3, 2, 1]],
      ] as const) {
        expect(await ids(client, 'payment', `&sort=${sort}`)).toEqual(expected);
        const one = await pages(client, path('payment', `&sort=${sort}&limit=1`));
        expect(one.map(({ id }) => Number(id))).toEqual(expected);
      }
      expect(await ids(client, 'payment', '&sort=-date&status=paid&q=chk')).toEqual([12, 3, 1]);
      expect(await ids(client, 'payment', '&sort=-date&modified_after=2020-01-01')).toEqual([12, 3, 2, 1]);
    });

    it('in the order of their amounts, also in a currency that the contract alone names', async () => {
      const dinars = record(
        'contract',
        { id: 20, number: 'SC-KW', currency_configuration: { currency_iso_code: 'KWD' } },
        'WorkOrderContract',
      );
      const paid = [
        payment(1, { contract_id: 20, amount: '3.125' }),
        payment(2, { contract_id: 20, amount: '2.00' }),
        payment(3, { contract_id: 20, amount: '-1.001' }),
        payment(4, { contract_id: 20, amount: null }),
      ];
      const opened = await open([dinars, ...paid]);
      const rows = await found<ListedObject>(opened.client, path('payment', '&sort=-amount'));
      expect(rows.map(({ id, data }) => [Number(id), data.amount])).toEqual([
        [1, { amount: 3_125, currency: 'KWD' }],
        [2, { amount: 2_000, currency: 'KWD' }],
        [3, { amount: -1_001, currency: 'KWD' }],
        [4, null],
      ]);
    });

    it('by several at once', async () => {
      expect(await ids(client, 'payment', '&status=paid&q=chk&date_to=2026-01-03')).toEqual([1, 3]);
      expect(await ids(client, 'payment', '&modified_after=2020-01-01&status=paid')).toEqual([1, 3, 12]);
      const [row] = await found<ListedObject>(client, path('payment', '&q=chk-3'));
      expect(await ids(client, 'payment', `&canonical_id=${row?.canonical_id}&status=paid`)).toEqual([3]);
      expect(await ids(client, 'payment', `&canonical_id=${row?.canonical_id}&status=pending`)).toEqual([]);
    });

    it('counts them beside a page', async () => {
      const { body } = await client.get(path('payment', '&status=paid&count=true&limit=1'));
      expect(body).toMatchObject({ total: 3, total_exact: true, next_cursor: expect.any(String) });
      expect(body.data).toHaveLength(1);
      const all = await client.get(path('payment', '&count=true'));
      expect(all.body).toMatchObject({ total: 4, total_exact: true, next_cursor: null });
      const none = await client.get(path('payment', '&count=false&limit=1'));
      expect(none.body).not.toHaveProperty('total');
    });

    it('repeats the number of the first page behind it', async () => {
      const { key, customerId } = await service.openSession();
      const own = api(service.url, key);
      sources.give(customerId, 'platform_a', payments);
      await connect(own, 'platform_a');
      const list = path('payment', '&count=true&limit=1');
      const first = await own.get(list);
      sources.give(customerId, 'platform_a', [...payments, payment(13)]);
      await connect(own, 'platform_a');
      const behind = await own.get(`${list}&cursor=${first.body.next_cursor}`);
      const again = await own.get(list);
      expect([first, behind, again].map(({ body }) => body.total)).toEqual([4, 4, 5]);
    });
  });

  describe('without a platform', () => {
    it('is one row for each object, with its records by platform', async () => {
      const { client } = await open();
      const rows = await found<ListedWithRecords>(client, anyPlatform('payment', '&q=chk-1'));
      const listed = await found<ListedObject>(client, path('payment', '&q=chk-1'));
      expect(rows.map(({ canonical_id }) => canonical_id)).toEqual(
        listed.map(({ canonical_id }) => canonical_id).toSorted(),
      );
      const both = rows.find(({ mappings }) => mappings.length === 2);
      const own = listed.find(({ id }) => id === '12');
      expect(both).toEqual({
        canonical_id: own?.canonical_id,
        entity_type: 'payment',
        data: own?.data,
        records: {
          platform_a: { id: '12', platform_data: own?.platform_data },
          platform_b: { id: 'b-12', platform_data: expect.objectContaining({ id: 'b-12' }) },
        },
        mappings: own?.mappings,
        version: expect.any(String),
      });
      expect(await found(client, anyPlatform('payment', `&canonical_id=${own?.canonical_id}`))).toEqual([
        both,
      ]);
      const { body } = await client.get(anyPlatform('payment', '&q=chk&count=true&limit=1&status=paid'));
      expect(body).toMatchObject({ total: 3, total_exact: true });
      expect(await pages(client, anyPlatform('payment', '&q=chk&limit=1'))).toHaveLength(4);
      expect(await found(client, anyPlatform('payment', '&canonical_id=pay_0'))).toEqual([]);
    });

    it('is not a search among the records of others', async () => {
      await open();
      const other = await open([payment(77)]);
      expect(await ids(other.client, 'payment', '&q=chk')).toEqual([77]);
    });
  });

  it('finds a record that is gone, where these are listed too, and one that a write has changed', async () => {
    const { client, platform, readAll } = await open();
    platform.remove('payment', '3');
    await readAll();
    await readAll();
    expect(await ids(client, 'payment', '&q=chk-3')).toEqual([]);
    expect(await ids(client, 'payment', '&q=chk-3&include_deleted=true')).toEqual([3]);
    expect(await ids(client, 'payment', '&status=paid&include_deleted=true')).toEqual([1, 3, 12]);
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '2',
      entity_type: 'payment',
      data: { check_number: 'WIRE-2', date: '2026-05-05' },
    });
    expect(change.status).toBe(200);
    expect(await ids(client, 'payment', '&q=wire')).toEqual([2]);
    expect(await ids(client, 'payment', '&q=chk-2')).toEqual([]);
    expect(await ids(client, 'payment', '&date_from=2026-05-05&date_to=2026-05-05')).toEqual([2]);
  });

  describe('refuses', () => {
    let client: Client;
    beforeAll(async () => {
      client = api(service.url, (await service.openSession()).key);
    });

    it.each<[string, RegExp]>([
      ['entity_type=payment', /platform and entity_type are both required/],
      ['entity_type=payment&status=paid', /platform and entity_type are both required/],
      ['q=x', /platform and entity_type are both required/],
      ['entity_type=payment&q=', /q must not be empty/],
      ['entity_type=payment&q=%20%09', /q must have a word/],
      [`entity_type=payment&q=${'x'.repeat(201)}`, /q must have 200 characters at most/],
      ['entity_type=payment&q=a&q=b', /q must be given only once/],
      [
        'entity_type=payment&q=a&status=open',
        /status of entity_type payment must be one of pending, .*unknown/,
      ],
      ['entity_type=payment&q=a&date_from=2026-02-30', /date_from must be an ISO 8601 date/],
      ['entity_type=payment&q=a&date_from=0000-01-01', /date_from must be an ISO 8601 date/],
      ['entity_type=payment&q=a&date_to=2026-02-01T00:00Z', /date_to must be an ISO 8601 date/],
      ['entity_type=project&q=a&date_to=2026-02-01', /date_to does not go with entity_type project/],
      ['entity_type=customer&q=a&project_id=x', /project_id does not go with entity_type customer/],
      ['entity_type=payment&q=a&include_deleted=true', /include_deleted needs platform/],
      [
        'entity_type=payment&q=a&sort=size',
        /sort must be one of id, number, -number, date, -date, amount, -amount/,
      ],
      ['entity_type=payment&q=a&sort=amount', /sort needs platform/],
      ['entity_type=project&platform=platform_a&sort=-amount', /sort=-amount does not go with .* no amount/],
      ['entity_type=customer&platform=platform_a&sort=number', /sort=number does not go with .* no number/],
      ['entity_type=payment&q=a&sort=date', /sort needs platform/],
      ['entity_type=project&platform=platform_a&sort=date', /sort=date does not go with entity_type project/],
      [
        'entity_type=payment&platform=platform_a&sort=-date&include_deleted=true',
        /sort does not go with include_deleted/,
      ],
      ['entity_type=payment&q=a&count=yes', /count must be true or false/],
      [
        'entity_type=payment&q=a&count=true&modified_after=2026-01-01',
        /count does not go with modified_after/,
      ],
      [
        'entity_type=payment&platform=platform_a&count=true&include_deleted=true',
        /count does not go with include_deleted/,
      ],
      ['entity_type=payment&q=a&as_of=2026-01-01', /as_of/],
    ])('%s', async (query, message) => {
      expectError(await client.get(`/objects?${query}`), 400, 'VALIDATION_ERROR', message);
    });

    it('a cursor of another search', async () => {
      const opened = (await open()).client;
      const { body } = await opened.get(path('payment', '&q=chk&limit=1'));
      const answer = await opened.get(path('payment', `&q=ch&limit=1&cursor=${body.next_cursor}`));
      expectError(answer, 400, 'VALIDATION_ERROR', /cursor belongs to a query with other parameters/);
    });
  });

  it('is in pages what it is as a whole, in whatever size', async () => {
    const words = ['paid', 'pending', 'approved'];
    const many = Array.from({ length: 40 }, (_, place) =>
      payment(place + 1, {
        status: words[place % words.length],
        date: `2026-01-${String((place % 28) + 1).padStart(2, '0')}`,
        project_id: (place % 2) + 1,
      }),
    );
    // The record that platform_b has of payment 12 is pending there, and has another date.
    const statusesOf = (id: number) => [words[(id - 1) % words.length], ...(id === 12 ? ['pending'] : [])];
    const { client } = await open([...projects, ...many]);
    const [project] = await found<ListedObject>(client, path('project', '&q=lex-001'));
    const part = fc.record(
      {
        q: fc.constantFrom('chk', 'chk-1', 'chk-2', 'x'),
        status: fc.constantFrom(...words),
        project_id: fc.constant(project?.canonical_id),
        date_from: fc.constantFrom('2026-01-05', '2026-01-20'),
        date_to: fc.constantFrom('2026-01-10', '2026-01-25'),
        include_deleted: fc.constant('true'),
        sort: fc.constantFrom('id', 'date', '-date'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(part, fc.integer({ min: 1, max: 12 }), async (given, limit) => {
        fc.pre(given.include_deleted === undefined || given.sort === undefined || given.sort === 'id');
        const more = Object.entries(given)
          .map(([name, value]) => `&${name}=${value}`)
          .join('');
        const whole = await found<ListedObject>(client, path('payment', more));
        expect(await pages(client, path('payment', `${more}&limit=${limit}`))).toEqual(whole);
        const dateOf = (id: number) => `2026-01-${String(((id - 1) % 28) + 1).padStart(2, '0')}`;
        const datesOf = (id: number) => [dateOf(id), ...(id === 12 ? ['2026-03-01'] : [])];
        const met = many
          .map((_, place) => place + 1)
          .filter(
            (id) =>
              (given.q === undefined || `chk-${id}`.startsWith(given.q)) &&
              (given.status === undefined || statusesOf(id).includes(given.status)) &&
              (given.project_id === undefined || (id - 1) % 2 === 0) &&
              datesOf(id).some(
                (date) =>
                  (given.date_from === undefined || date >= given.date_from) &&
                  (given.date_to === undefined || date <= given.date_to),
              ),
          );
        // Native IDs of one day are in the order of their text.
        const byDate = met.toSorted((one, other) =>
          `${dateOf(one)} ${one}` < `${dateOf(other)} ${other}` ? -1 : 1,
        );
        const orders = { id: met, date: byDate, '-date': byDate.toReversed() };
        const expected = orders[given.sort ?? 'id'];
        expect(whole.map(({ id }) => Number(id))).toEqual(expected);
        if (given.include_deleted === undefined) {
          const { body } = await client.get(path('payment', `${more}&count=true&limit=1`));
          expect(body.total).toBe(expected.length);
        }
      }),
      { numRuns: randomCases(9) },
    );
  });

  it('is ordered by number, date or amount, where many have the same or none, in pages as in whole', async () => {
    const numbers = [null, 'a-1', 'A-1', 'a-10', 'É', '\u{10ffff}x'];
    const dates = [null, '2026-01-01', '2026-01-02'];
    const amounts = [null, '-5.00', '0.00', '5.00', '12.00', '90071992547409.00'];
    const many = Array.from({ length: 48 }, (_, place) =>
      record('payment', {
        id: place + 1,
        check_number: numbers[(place * 5) % numbers.length],
        date: dates[(place * 7) % dates.length],
        amount: amounts[(place * 11 + (place >> 3)) % amounts.length],
        status: place % 3 === 0 ? 'paid' : 'pending',
      }),
    );
    const { client } = await open(many);
    const sortKeys: Readonly<Record<string, (place: number) => number>> = {
      // The second and the third are the same key.
      number: (place) => [0, 1, 1, 2, 3, 4][(place * 5) % numbers.length] ?? 0,
      date: (place) => (place * 7) % dates.length,
      amount: (place) => (place * 11 + (place >> 3)) % amounts.length,
    };
    const by = fc.constantFrom(...Object.keys(sortKeys));
    const filter = fc.constantFrom('', '&status=paid', '&q=a-1', '&modified_after=2020-01-01');
    await fc.assert(
      fc.asyncProperty(
        by,
        fc.boolean(),
        filter,
        fc.integer({ min: 1, max: 9 }),
        async (sort, up, more, limit) => {
          const target = path('payment', `${more}&sort=${up ? '' : '-'}${sort}`);
          const whole = await found<ListedObject>(client, target);
          expect(await pages(client, `${target}&limit=${limit}`)).toEqual(whole);
          const places = many
            .map((_, place) => place)
            .filter((place) => more !== '&status=paid' || place % 3 === 0)
            .filter((place) => more !== '&q=a-1' || [1, 2, 3].includes((place * 5) % numbers.length))
            .toSorted((one, other) => {
              const byKey = (sortKeys[sort]?.(one) ?? 0) - (sortKeys[sort]?.(other) ?? 0);
              return byKey || (`${one + 1}` < `${other + 1}` ? -1 : 1);
            });
          expect(whole.map(({ id }) => Number(id) - 1)).toEqual(up ? places : places.toReversed());
        },
      ),
      { numRuns: randomCases(9) },
    );
  });

  it('misses nothing that meets a search all the time, and gives nothing twice, while others write', async () => {
    const { client, platform, readAll } = await open(
      Array.from({ length: 30 }, (_, place) => payment((place + 1) * 10, { status: 'paid' })),
    );
    for (const target of [
      path('payment', '&q=chk&status=paid'),
      anyPlatform('payment', '&q=chk&status=paid'),
    ]) {
      const before = await pages(client, `${target}&limit=7`);
      const all: ListedObject[] = [];
      for (let cursor: string | null | undefined, step = 0; cursor !== null; step += 1) {
        const { body } = await client.get(
          `${target}&limit=4${cursor === undefined ? '' : `&cursor=${cursor}`}`,
        );
        all.push(...body.data);
        cursor = body.next_cursor as string | null;
        if (step > 4) continue;
        platform.put(payment(step * 60 + 5, { status: 'paid' }));
        platform.put(payment(100, { status: step % 2 === 0 ? 'pending' : 'paid' }));
        await readAll();
      }
      const given = all.map(({ canonical_id }) => canonical_id);
      expect(new Set(given).size).toBe(given.length);
      const standing = before.filter(({ data }) => data.check_number !== 'CHK-100');
      expect(standing.map(({ canonical_id }) => canonical_id).filter((id) => !given.includes(id))).toEqual(
        [],
      );
    }
  });

  it('looks at a bounded number of records where very many meet a search, and finds the same', async () => {
    const many = Array.from({ length: 5_200 }, (_, place) =>
      payment(place + 1, { status: place % 5_150 === 0 ? 'approved' : 'paid' }),
    );
    const { client } = await open(many);
    const { body } = await client.get(path('payment', '&q=chk&limit=500&count=true'));
    expect(body).toMatchObject({ total: 5_200, total_exact: true });
    const listed = await pages(client, path('payment', '&q=chk&limit=500'));
    expect(listed.map(({ id }) => Number(id))).toEqual(many.map((_, place) => place + 1));
    const objects = await pages(client, anyPlatform('payment', '&q=chk&limit=500'));
    expect(objects.map(({ canonical_id }) => canonical_id)).toEqual(
      listed.map(({ canonical_id }) => canonical_id).toSorted(),
    );
    expect(await ids(client, 'payment', '&q=chk&status=approved&limit=2')).toEqual([1, 5151]);
    const paid = await pages(client, path('payment', '&status=paid&sort=-date&limit=500'));
    expect(new Set(paid.map(({ id }) => id)).size).toBe(5_198);
    expect(paid).toHaveLength(5_198);
  });
});
