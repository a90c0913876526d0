import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;
type Amounts = Readonly<Record<string, number>>;

describe('closed cases', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [RatesModule], sources);
  });
  afterAll(() => service.close());

  async function open(onA: Amounts, onB: Amounts, currency = 'USD') {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, amounts: Amounts) => {
      const isA = platform === a;
      const payments = Object.entries(amounts).map(([id, amount]) =>
        record('payment', {
          id: isA ? Number(id) : `b${id}`,
          [isA ? 'check_number' : 'externalDocumentNumber']: `CHK-${id}`,
          ...(isA ? { amount: amount.toFixed(2) } : { amount: -amount, currencyCode: currency }),
        }),
      );
      sources.give(customerId, platform, payments);
      await connect(client, platform);
    };
    await read(a, onA);
    await read(b, onB);
    const get = async (query: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation/cases?${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body;
    };
    const idsOf = async (query: string): Promise<string[]> =>
      (await get(query)).data.map(({ id }: Body) => id).toSorted();
    const now = async (): Promise<string> => (await client.get('/reconciliation')).body.data.as_of;
    const file = async (query: string): Promise<string> => {
      const answer = await fetch(`${service.url}/api/v1/reconciliation/cases?${query}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
      });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    return { client, customerId, read, get, idsOf, now, file };
  }

  it('are those of a time, with the open ones of that time, in pages and as a file', async () => {
    const same = { 1: 10, 2: 20, 3: 30, 4: 40, 5: 50 };
    const { client, read, get, idsOf, now, file } = await open(same, same);
    const moments: { asOf: string; open: string[]; accepted: string[]; closed: string[] }[] = [];
    const note = async () => {
      const [opened, accepted, closed] = await Promise.all(
        ['open', 'accepted', 'closed'].map((state) => idsOf(`state=${state}`)),
      );
      moments.push({ asOf: await now(), open: opened!, accepted: accepted!, closed: closed! });
    };
    await note();
    for (const onB of [
      { ...same, 1: 11, 2: 21, 3: 31 },
      { ...same, 2: 21, 3: 32 },
      { ...same, 1: 12 },
      { ...same, 1: 12, 2: 22, 4: 41 },
      { ...same },
      { ...same, 5: 51 },
    ]) {
      await read(b, onB);
      await note();
      const [first] = moments.at(-1)?.open ?? [];
      if (moments.length !== 3) continue;
      await client.send('PATCH', `/reconciliation/cases/${first}`, {
        body: { accepted: { reason: 'Known', decided_by: 'Ada' } },
      });
      await note();
    }
    expect(moments.some(({ accepted }) => accepted.length > 0)).toBe(true);
    expect(moments.at(-1)?.closed.length).toBeGreaterThan(3);
    for (const { asOf, ...ids } of moments) {
      for (const state of ['open', 'accepted', 'closed'] as const)
        expect([asOf, state, await idsOf(`state=${state}&as_of=${asOf}`)]).toEqual([asOf, state, ids[state]]);
      const all = await get(`state=all&as_of=${asOf}`);
      expect(all.data.map(({ id }: Body) => id).toSorted()).toEqual(
        [...ids.open, ...ids.accepted, ...ids.closed].toSorted(),
      );
      const counts = Object.fromEntries(all.facets.state.map(({ value, count }: Body) => [value, count]));
      expect([counts.open ?? 0, counts.accepted ?? 0, counts.closed ?? 0, all.facets.total]).toEqual([
        ids.open.length,
        ids.accepted.length,
        ids.closed.length,
        all.data.length,
      ]);
      for (const [state, sort] of [
        ['all', 'amount'],
        ['closed', 'closed'],
      ] as const) {
        const query = `state=${state}&sort=${sort}&as_of=${asOf}`;
        const whole: Body[] = (await get(query)).data;
        const pages: Body[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const page: Body = await get(`${query}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
          pages.push(...page.data);
          cursor = page.next_cursor;
        }
        expect(pages).toEqual(whole);
        const lines = (await file(query)).split('\r\n').filter((line) => line.startsWith('case_'));
        expect(lines.map((line) => line.split(',')[0])).toEqual(whole.map(({ id }) => id));
        if (state === 'closed') {
          const times = whole.map(({ closed_at: at }) => at);
          expect(times).toEqual(times.toSorted().toReversed());
          for (const at of times) expect(at <= asOf).toBe(true);
        }
      }
    }
  });

  it('are those of the project into which their own was merged, and of their own before', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const ofA = (number: string, more: object = {}) =>
      record('invoice', {
        id: Number(number),
        invoice_number: `I-${number}`,
        summary: { current_payment_due: '7.00' },
        ...more,
      });
    const ofB = (number: string, more: object = {}) =>
      record('invoice', {
        id: `b${number}`,
        externalDocumentNumber: `I-${number}`,
        currencyCode: 'USD',
        totalAmountIncludingTax: 7,
        ...more,
      });
    const read = async (alsoOnA: readonly string[], alsoOnB: readonly string[]) => {
      sources.give(customerId, a, [
        record('project', { id: 1, project_number: 'P-1', name: 'One' }),
        ...['1', '2'].map((number) => ofA(number, { project_id: 1 })),
        ...alsoOnA.map((number) => ofA(number)),
      ]);
      sources.give(customerId, b, [
        record('project', { id: 'p2', number: 'X-1', displayName: 'Uno' }),
        ...['3', '4', '5'].map((number) => ofB(number, { shortcutDimension1Code: 'X-1' })),
        ...alsoOnB.map((number) => ofB(number)),
      ]);
      for (const platform of [a, b]) await connect(client, platform);
    };
    const get = async (query: string): Promise<Body> => {
      const path = `/reconciliation/cases?entity_type=invoice&${query}`;
      const { status, body } = await client.get(path);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body;
    };
    const labels = (body: Body): string[] => body.data.map(({ label }: Body) => label).toSorted();
    const projectOn = async (platform: string): Promise<string> =>
      (await client.get(`/objects?platform=${platform}&entity_type=project`)).body.data[0].canonical_id;
    await read([], []);
    const [first, second] = [await projectOn(a), await projectOn(b)];
    expect((await get('')).facets.total).toBe(5);
    await read(['3', '4'], ['1']);
    const { as_of: before } = (await client.get('/reconciliation')).body.data;
    expect((await decide(client, 'link', 'project', [`${a} 1`, `${b} p2`])).status).toBe(200);
    expect(await projectOn(b)).toBe(first);
    const { as_of: after } = (await client.get('/reconciliation')).body.data;

    for (const at of ['', `&as_of=${after}`]) {
      for (const id of [first, second]) {
        const list = await get(`state=closed&project_id=${id}${at}`);
        expect([labels(list), list.facets.total]).toEqual([['I-1', 'I-3', 'I-4'], 3]);
        expect(labels(await get(`state=all&project_id=${id}${at}`))).toEqual([
          'I-1',
          'I-2',
          'I-3',
          'I-4',
          'I-5',
        ]);
      }
      expect((await get(`state=closed${at}`)).facets.project_id).toEqual([{ value: first, count: 3 }]);
      expect((await get(`state=all${at}`)).facets.project_id).toEqual([{ value: first, count: 5 }]);
    }
    expect(labels(await get(`state=closed&project_id=${second}&as_of=${before}`))).toEqual(['I-3', 'I-4']);
    expect(labels(await get(`state=closed&project_id=${first}&as_of=${before}`))).toEqual(['I-1']);
    expect((await get(`state=closed&as_of=${before}`)).facets.project_id).toEqual([
      { value: second, count: 2 },
      { value: first, count: 1 },
    ]);
    const file = await fetch(
      `${service.url}/api/v1/reconciliation/cases?entity_type=invoice&state=closed&project_id=${first}`,
      {
        headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
      },
    );
    expect((await file.text()).split('\r\n').filter((line) => line.startsWith('case_'))).toHaveLength(3);
  });

  it('say who closed them, and why', async () => {
    const { client, get, file } = await open({ 1: 10 }, { 1: 12 });
    const [one] = (await get('')).data;
    const why = { reason: 'Agreed by phone', decided_by: 'Amira' };
    const changed = await client.post('/propagate', {
      format: 'canonical',
      canonical_id: one.canonical_id,
      entity_type: 'payment',
      data: { amount: { amount: 1200, currency: 'USD' } },
      ...why,
    });
    expect(changed.status).toBe(200);
    const [closed] = (await get('state=closed')).data;
    const by = { type: 'propagation', id: changed.body.data.propagation_id, ...why };
    expect(closed.closed_by).toEqual(by);
    expect(closed.settlement).toEqual({ by: 'none', writable: {} });
    const { data } = (await client.get(`/reconciliation/cases/${one.id}`)).body;
    expect(data.closed_by).toEqual(by);
    expect(data.history[0]).toMatchObject({ type: 'closed', closed_by: by });
    expect(await file('state=closed')).toContain('Agreed by phone,Amira');
  });

  it('name the reason of a decision, or of its withdrawal', async () => {
    const { client, get } = await open({ 1: 10, 2: 5 }, { 1: 10 });
    const made = await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
    expect(made.status).toBe(200);
    expect((await get('kind=only_on')).facets.total).toBe(3);
    await withdraw(client, made.body.data.id);
    const closed: Body[] = (await get('state=closed')).data;
    expect(closed.length).toBeGreaterThan(0);
    for (const { closed_by: by } of closed)
      expect(by).toEqual({
        type: 'decision',
        id: made.body.data.id,
        reason: 'A mistake',
        decided_by: 'Lee',
      });
  });

  it('name the reason of a rate', async () => {
    const { customerId, get, now } = await open({ 1: 10 }, { 1: 20 }, 'EUR');
    await now();
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    const rate = { from: 'USD', to: 'EUR', rate: '2' };
    await rates.set(customerId, rate, { reason: 'Treasury', decidedBy: 'Badr' });
    await now();
    const closed: Body[] = (await get('state=closed')).data;
    expect(closed.length).toBeGreaterThan(0);
    for (const { closed_by: by } of closed)
      expect(by).toMatchObject({ type: 'terms', reason: 'Treasury', decided_by: 'Badr' });
  });
});
