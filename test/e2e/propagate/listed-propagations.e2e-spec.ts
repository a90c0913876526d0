import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import { takeAfter } from '../../support/platforms/far-platform';
import { expectError } from '../../support/app/expectations';
import { platforms, ON_A } from '../../support/customers/portfolio';

jest.setTimeout(240_000);

/** A payment that platform_a has alone. */
const ALONE = '1823391';

interface Row {
  readonly propagation_id: string;
  readonly canonical_id: string;
  readonly at: string;
  readonly state: string;
  readonly propagated: Readonly<Record<string, { readonly status: string }>>;
}

describe('GET /propagations', () => {
  let service: FarService;

  beforeAll(async () => {
    service = await startFarService();
  });
  afterAll(() => service.close());

  const change = async (customer: FarCustomer, type: string, id: string, data: object, more: object = {}) => {
    const { status, body } = await customer.client.post('/propagate', {
      ...{ format: 'platform', platform: 'platform_a', platform_id: id, entity_type: type, data },
      ...more,
    });
    expect(status).toBe(200);
    return body.data;
  };

  const page = async (customer: FarCustomer, query = ''): Promise<{ rows: Row[]; next: string | null }> => {
    const { status, body } = await customer.client.get(`/propagations${query}`);
    expect(status).toBe(200);
    return { rows: body.data, next: body.next_cursor };
  };

  const all = async (customer: FarCustomer, query: string): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let cursor = ''; ;) {
      const { rows: more, next } = await page(customer, `?limit=2${query}${cursor}`);
      expect(more.length).toBeLessThanOrEqual(2);
      rows.push(...more);
      if (next === null) return rows;
      cursor = `&cursor=${next}`;
    }
  };

  it('lists changes, newest first, as their answers show them', async () => {
    const customer = await service.open();
    const why = { reason: 'Agreed on site', decided_by: 'Omar' };
    const first = await change(customer, 'payment', ON_A, { amount: '1650000.00' }, why);
    const second = await change(customer, 'payment', ALONE, { notes: 'two' }, { create_missing: true });
    const { rows, next } = await page(customer);
    expect(next).toBeNull();
    expect(rows).toEqual([
      {
        propagation_id: second.propagation_id,
        canonical_id: second.canonical.id,
        entity_type: 'payment',
        at: expect.stringMatching(/^20.*Z$/),
        state: 'settled',
        propagated: (await customer.propagation(second.propagation_id)).propagated,
        reason: null,
        decided_by: null,
        request_id: expect.stringMatching(/^req_/),
      },
      {
        ...{ propagation_id: first.propagation_id, canonical_id: first.canonical.id, entity_type: 'payment' },
        ...{ at: expect.any(String), state: 'settled', request_id: expect.any(String) },
        propagated: first.propagated,
        ...why,
      },
    ]);
    expect(rows[0]?.propagated['platform_b']).toMatchObject({ status: 'applied', created: true });
    const another = await service.open();
    expect(await page(another)).toEqual({ rows: [], next: null });
  });

  it('has the time of a change that the history of its object has', async () => {
    const customer = await service.open();
    const { canonical, propagation_id: id } = await change(customer, 'payment', ON_A, { notes: 'on time' });
    const { body } = await customer.client.get(`/objects/${canonical.id}/history`);
    const entry = body.data.find(
      ({ origin }: { readonly origin: { readonly propagation_id?: string } }) => origin.propagation_id === id,
    );
    expect((await page(customer)).rows).toMatchObject([{ propagation_id: id, at: entry.at }]);
  });

  it('chooses by type, object, platform and time, page by page', async () => {
    const customer = await service.open();
    const made: { id: string; object: string; type: string }[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const [type, id, data] of [
        ['payment', ON_A, { notes: `n${round}` }],
        ['contract', '1945782', { title: `t${round}` }],
        ['project', '341276', { flag: round % 2 === 0 ? 'Red' : 'Green' }],
      ] as const) {
        const { propagation_id, canonical } = await change(customer, type, id, data);
        made.unshift({ id: propagation_id, object: canonical.id, type });
      }
    }
    const idsOf = (rows: readonly Row[]): string[] => rows.map(({ propagation_id }) => propagation_id);
    const expected = (fits: (one: (typeof made)[number]) => boolean): string[] =>
      made.filter(fits).map(({ id }) => id);
    const everything = await all(customer, '');
    expect(idsOf(everything)).toEqual(expected(() => true));
    const object = made.find(({ type }) => type === 'contract')?.object ?? '';
    for (const [query, fits] of [
      ['&entity_type=payment', ({ type }: { type: string }) => type === 'payment'],
      ['&entity_type=invoice', () => false],
      ['&state=settled', () => true],
      ['&state=held', () => false],
      ['&state=settled&entity_type=project', ({ type }: { type: string }) => type === 'project'],
      [`&canonical_id=${object}`, ({ type }: { type: string }) => type === 'contract'],
      [`&canonical_id=${object}&state=settled`, ({ type }: { type: string }) => type === 'contract'],
      [`&canonical_id=${object}&entity_type=payment`, () => false],
      ['&canonical_id=nothing', () => false],
      ['&platform=platform_b', () => true],
      ['&platform=platform_b&entity_type=contract', ({ type }: { type: string }) => type === 'contract'],
    ] as const) {
      expect([query, idsOf(await all(customer, query))]).toEqual([query, expected(fits)]);
    }
    const [from, to] = [everything[8]?.at ?? '', everything[3]?.at ?? ''];
    expect(idsOf(await all(customer, `&since=${from}&until=${to}`))).toEqual(
      expected(() => true).slice(3, 9),
    );
    const today = from.slice(0, 10);
    expect(await all(customer, `&since=${today}&until=2999-12-31`)).toHaveLength(12);
    expect(await all(customer, '&until=2020-01-01')).toEqual([]);
  });

  it('keeps the place of a cursor while changes are made, and refuses it for another query', async () => {
    const customer = await service.open();
    for (const notes of ['1', '2', '3']) await change(customer, 'payment', ON_A, { notes });
    const { rows, next } = await page(customer, '?limit=1&state=settled');
    await change(customer, 'payment', ON_A, { notes: '4' });
    const rest = await page(customer, `?limit=5&state=settled&cursor=${next}`);
    expect(rest.rows).toHaveLength(2);
    expect(rest.rows.map(({ propagation_id }) => propagation_id)).not.toContain(rows[0]?.propagation_id);
    for (const query of [`?cursor=${next}`, `?state=held&cursor=${next}`, '?cursor=none'])
      expectError(await customer.client.get(`/propagations${query}`), 400, 'VALIDATION_ERROR', /cursor/);
    const other = await service.open();
    expectError(
      await other.client.get(`/propagations?state=settled&cursor=${next}`),
      400,
      'VALIDATION_ERROR',
      /cursor/,
    );
  });

  it.each([
    ['state=done', /state must be one of held, uncertain, pending, rejected, settled/],
    ['platform=platform_x', /platform/],
    ['entity_type=employee', /entity_type/],
    ['since=yesterday', /since/],
    ['until=2026-13-01', /until/],
    ['limit=501', /limit/],
    ['status=held', /status/],
  ])('refuses %s', async (query, message) => {
    const customer = await service.open();
    expectError(await customer.client.get(`/propagations?${query}`), 400, 'VALIDATION_ERROR', message);
  });

  describe('of platforms that are far away', () => {
    beforeAll(() => service.waitFor(50));
    afterAll(() => service.waitFor(10_000));

    it('has the state that a change is in, from the first to the last', async () => {
      const customer = await service.open(...platforms);
      const stateOf = async (id: string): Promise<string | undefined> => {
        const found: string[] = [];
        for (const state of ['held', 'uncertain', 'pending', 'rejected', 'settled'])
          for (const row of await all(customer, `&state=${state}`))
            if (row.propagation_id === id) found.push(row.state);
        expect(found.length).toBeLessThanOrEqual(1);
        return found[0];
      };
      const { platform_a: a, platform_b: b } = customer.far;

      const { opened, open } = latchUntilClose();
      a.reactions.push(takeAfter(opened));
      const slow = await change(customer, 'payment', ON_A, { notes: 'slow' });
      expect(await stateOf(slow.propagation_id)).toBe('pending');
      open();
      await customer.decided();
      expect(await stateOf(slow.propagation_id)).toBe('settled');

      b.reactions.push({ reject: 'The period is closed' });
      const refused = await change(customer, 'payment', ON_A, { notes: 'refused' });
      await customer.decided();
      expect(await stateOf(refused.propagation_id)).toBe('rejected');

      b.reactions.push('be silent');
      const settle = jest
        .spyOn(b, 'settle')
        .mockResolvedValue({ status: 'uncertain', until: new Date(Date.now() + 3_600_000) });
      const unknown = await change(customer, 'payment', ON_A, { notes: 'unknown' });
      await customer.until(async () => (await stateOf(unknown.propagation_id)) === 'uncertain');
      expect(await customer.propagation(unknown.propagation_id)).toMatchObject({
        propagated: { platform_b: { status: 'uncertain' } },
      });
      settle.mockResolvedValue({ status: 'held', reason: 'two candidates' });
      await customer.sql('update outbox_commands set not_before = now() where customer_id = $1', [
        customer.customerId,
      ]);
      await customer.decided();
      expect(await stateOf(unknown.propagation_id)).toBe('held');
      settle.mockRestore();
    });
  });
});
