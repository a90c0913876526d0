import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { guid } from '../../support/records/guid';

type Body = ReturnType<typeof JSON.parse>;

describe('GET /reconciliation/cases', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  /** For tests that change nothing. */
  let client: ReturnType<typeof api>;

  beforeAll(async () => {
    service = await startApp({}, [], sources);
    client = await opened();
  });
  afterAll(() => service.close());

  /** A customer whose platforms are read. */
  async function opened(): Promise<ReturnType<typeof api>> {
    const { key, customerId } = await service.openSession();
    const caller = api(service.url, key);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '100.00', check_number: 'CHK-1', notes: 'One' }),
      record('payment', { id: 2, amount: '50.00', check_number: 'CHK-2' }),
      record('payment', { id: 3, amount: '1e3', check_number: 'CHK-3' }),
      record('payment', { id: 4, amount: '1.00', check_number: 'CHK-4' }),
      record('payment', { id: 5, amount: '2.00', check_number: 'CHK-4' }),
      record('project', { id: 9, name: 'Tower', project_number: 'P-9' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', {
        id: guid(1),
        amount: -120,
        currencyCode: 'USD',
        externalDocumentNumber: 'CHK-1',
        comment: 'Two',
      }),
      record('payment', { id: guid(2), amount: -5000, currencyCode: 'JPY', externalDocumentNumber: 'CHK-2' }),
      record('payment', { id: guid(4), amount: -4, currencyCode: 'USD', externalDocumentNumber: 'CHK-4' }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(caller, platform);
    return caller;
  }

  const list = async (query = '', caller = client): Promise<Body> =>
    (await caller.get(`/reconciliation/cases${query}`)).body;
  const kinds = (body: Body): string[] =>
    body.data.map(({ kind, field, platform }: Body) => `${kind} ${field ?? platform}`);

  it('lists everything with counts', async () => {
    const body = await list('?sort=type');
    expect(kinds(body).toSorted()).toEqual(
      [
        'disagreement amount',
        'disagreement notes',
        'not_comparable amount',
        'not_comparable amount',
        'only_on platform_a',
        'only_on platform_a',
        'unreadable amount',
        'ambiguous platform_a',
        'ambiguous platform_a',
        'ambiguous platform_b',
      ].toSorted(),
    );
    expect(body.next_cursor).toBeNull();
    expect(body.facets).toMatchObject({
      total: 10,
      kind: [
        { value: 'ambiguous', count: 3 },
        { value: 'disagreement', count: 2 },
        { value: 'not_comparable', count: 2 },
        { value: 'only_on', count: 2 },
        { value: 'unreadable', count: 1 },
      ],
      age: [{ value: '0-30', count: 10 }],
    });
  });

  it('shows both values, as written and in canonical form, and whose stands', async () => {
    const [amount] = (await list('?kind=disagreement&field=amount')).data;
    expect(amount).toMatchObject({
      entity_type: 'payment',
      field: 'amount',
      platform: null,
      difference: { amount: 2000, currency: 'USD' },
      values: {
        platform_a: { canonical: { amount: 10_000, currency: 'USD' }, native: '100.00', path: 'amount' },
        platform_b: { canonical: { amount: 12_000, currency: 'USD' }, native: -120, path: 'amount' },
      },
      stands: 'platform_a',
      why: 'it comes first by default',
      records: [
        { platform: 'platform_a', platform_id: '1' },
        { platform: 'platform_b', platform_id: guid(1) },
      ],
      age_days: 0,
    });
  });

  it.each([
    ['?kind=unreadable', ['unreadable amount']],
    ['?entity_type=project', ['only_on platform_a']],
    ['?currency=JPY', ['not_comparable amount', 'not_comparable amount']],
    ['?field=notes', ['disagreement notes']],
    ['?kind=ambiguous&platform=platform_b', ['ambiguous platform_b']],
    ['?kind=only_on&platform=platform_b', []],
    ['?kind=disagreement&platform=platform_a', []],
    ['?age=over-90', []],
    ['?project_id=', []],
  ])('filters by %s', async (query, expected) => {
    if (query === '?project_id=') {
      const [project] = (await list('?entity_type=project')).data;
      expect(kinds(await list(`?project_id=${project.project_id}`))).toEqual(['only_on platform_a']);
      return;
    }
    const chosen = await list(query);
    expect(kinds(chosen)).toEqual(expected);
    expect(chosen.facets.total).toBe(expected.length);
  });

  it('puts the largest difference first', async () => {
    const body = await list('?sort=amount');
    const sizes = body.data.map(({ difference }: Body) =>
      difference === null ? -1 : Math.abs(difference.amount),
    );
    expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => other - one));
    // 50.00 here, and an amount there for which there is no rate: what is behind the line is the 50.00.
    expect(body.data[0]).toMatchObject({
      kind: 'not_comparable',
      difference: { amount: -5000, currency: 'USD' },
    });
    expect(sizes[1]).toBe(2000);
  });

  it.each(['age', 'amount', 'type'])('comes page by page by %s, each case once', async (sort) => {
    const whole = (await list(`?sort=${sort}`)).data.map(({ id }: Body) => id);
    const seen: string[] = [];
    let path = `?sort=${sort}&limit=3`;
    for (;;) {
      const answer = await client.get(`/reconciliation/cases${path}`);
      seen.push(...answer.body.data.map(({ id }: Body) => id));
      expect(answer.body.facets.total).toBe(10);
      const { next_cursor: next } = answer.body;
      if (next === null) {
        expect(answer.headers.get('link')).toBeNull();
        break;
      }
      expect(answer.headers.get('link')).toBe(
        `</api/v1/reconciliation/cases?sort=${sort}&limit=3&cursor=${next}>; rel="next"`,
      );
      path = `?sort=${sort}&limit=3&cursor=${next}`;
    }
    expect(seen).toEqual(whole);
  });

  it.each(['USD', 'JPY'])(
    'comes page by page with amounts in %s on either side, each case once',
    async (currency) => {
      const { data, facets } = await list(`?currency=${currency}`);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Body = await list(`?currency=${currency}&limit=1${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ id }: Body) => id));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(data.map(({ id }: Body) => id));
      expect(seen).toHaveLength(facets.total);
    },
  );

  it('comes without counts for a query that does without, and goes on with or without them', async () => {
    const { data, next_cursor: next } = await list('?limit=3&facets=true');
    const without = await list('?limit=3&facets=false');
    expect(without).toEqual({ data, next_cursor: expect.any(String) });
    const [behind, counted] = [
      await list(`?limit=3&facets=false&cursor=${next}`),
      await list(`?limit=3&cursor=${without.next_cursor}`),
    ];
    expect(behind).not.toHaveProperty('facets');
    expect(counted).toMatchObject({ data: behind.data, facets: { total: 10 } });
    expect((await client.get('/reconciliation/cases?facets=no')).status).toBe(400);
  });

  it('refuses a cursor of another list', async () => {
    const { next_cursor: next } = await list('?limit=1');
    for (const query of [`?limit=1&kind=only_on&cursor=${next}`, '?cursor=abc']) {
      expect((await client.get(`/reconciliation/cases${query}`)).status).toBe(400);
    }
  });

  it('gives an ambiguous case with its candidates, compared', async () => {
    const ambiguous = (await list('?kind=ambiguous')).data.find(
      ({ platform }: Body) => platform === 'platform_b',
    );
    expect(ambiguous).toMatchObject({
      number: 'CHK-4',
      missing_on: 'platform_a',
      amount: { amount: 400, currency: 'USD' },
      candidates: [
        { platform: 'platform_a', platform_id: '4', linked: false },
        { platform: 'platform_a', platform_id: '5', linked: false },
      ],
    });
    const { body } = await client.get(`/reconciliation/cases/${ambiguous.id}`);
    const [first] = body.data.candidates;
    expect(first.compared.find(({ field }: Body) => field === 'amount')).toEqual({
      field: 'amount',
      same: false,
      values: {
        platform_a: { canonical: { amount: 100, currency: 'USD' }, native: '1.00', path: 'amount' },
        platform_b: { canonical: { amount: 400, currency: 'USD' }, native: -4, path: 'amount' },
      },
    });
    expect(first.compared.find(({ field }: Body) => field === 'check_number').same).toBe(true);
    expect(body.data.compared.length).toBeGreaterThan(0);
  });

  it('compares the records of a case that is settled as they are now, whichever object they belong to', async () => {
    const caller = await opened();
    const cases: Body[] = (await list('?kind=ambiguous', caller)).data;
    const recordOf = ({ records: [own] }: Body) => `${own.platform} ${own.platform_id}`;
    const amounts = (compared: Body[]) => {
      const found = compared.find(({ field }) => field === 'amount');
      const on = (platform: string): Body => found?.values[platform]?.canonical?.amount;
      return [on('platform_a'), on('platform_b')];
    };
    const comparedOf = async ({ id }: Body): Promise<Body> => {
      const { data } = (await caller.get(`/reconciliation/cases/${id}`)).body;
      return [data.state, amounts(data.compared), data.candidates.map((one: Body) => amounts(one.compared))];
    };
    const made = await decide(caller, 'link', 'payment', ['platform_a 4', `platform_b ${guid(4)}`]);
    expect(made.status).toBe(200);
    const four = cases.filter((one) => recordOf(one) !== 'platform_a 5');
    expect(four.map(recordOf).toSorted()).toEqual(['platform_a 4', `platform_b ${guid(4)}`]);
    for (const one of four) {
      const [state, own, [first]] = await comparedOf(one);
      expect([recordOf(one), state, own, first]).toEqual([recordOf(one), 'closed', [100, 400], [100, 400]]);
    }
    const amount = (await list('?field=amount&kind=disagreement', caller)).data.find(
      ({ label }: Body) => label === 'CHK-4',
    );
    await withdraw(caller, made.body.data.id);
    expect(await comparedOf(amount)).toEqual(['closed', [100, 400], []]);
  });

  it('shows a case that is settled as closed, and knows no other', async () => {
    const caller = await opened();
    const [note] = (await list('?field=notes', caller)).data;
    expect((await caller.get(`/reconciliation/cases/${note.id}`)).status).toBe(200);
    await caller.post('/propagate', {
      format: 'canonical',
      canonical_id: note.canonical_id,
      entity_type: 'payment',
      data: { notes: 'Settled' },
    });
    const settled = await caller.get(`/reconciliation/cases/${note.id}`);
    expect(settled.body.data).toMatchObject({
      id: note.id,
      state: 'closed',
      closed_by: { type: 'propagation' },
    });
    expect((await list('', caller)).facets.total).toBe(9);
    expect((await caller.get('/reconciliation/cases/none')).status).toBe(404);
  });
});
