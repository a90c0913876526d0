import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import {
  portfolios,
  type Portfolio,
  type Portfolios,
  type StoredType,
  ON_A,
} from '../../support/customers/portfolio';

jest.setTimeout(60_000);

describe('POST /propagate with If-Match', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });

  const send = async (
    data: object,
    headers: Record<string, string> = {},
    more: object = {},
    [type, onA]: readonly [StoredType, string] = ['payment', ON_A],
  ) => {
    const { canonical_id } = await portfolio.find('platform_a', type, onA);
    const body = { format: 'canonical', entity_type: type, canonical_id, data, ...more };
    return portfolio.client.post('/propagate', body, headers);
  };
  const version = async (): Promise<string> =>
    (await send({ notes: 'x' }, {}, { dry_run: true })).body.data.canonical.version;
  const match = (text: string) => ({ 'If-Match': `"${text}"` });

  it('lets a writer pass who knows the version, and says the next one', async () => {
    const first = await version();
    const { status, body } = await send({ notes: 'one' }, match(first));
    expect(status).toBe(200);
    expect(body.data.canonical.version).not.toBe(first);
    expect(await version()).toBe(body.data.canonical.version);
    expect((await send({ notes: 'two' }, { 'If-Match': `"x", "${await version()}"` })).status).toBe(200);
    expect((await send({ notes: 'three' }, { 'If-Match': '*' })).status).toBe(200);
  });

  it('refuses a stale writer with base, theirs and mine, and changes nothing', async () => {
    const known = await version();
    const { data: base } = await portfolio.find('platform_a', 'payment', ON_A);
    await send({ notes: 'theirs', date: '2026-03-01' });
    const stored = await portfolio.stored();
    const refused = await send({ notes: 'mine', check_number: 'CHK-9' }, match(known));
    expectError(refused, 409, 'CONFLICT_ERROR', /has changed since/, {
      conflicts: [
        { field: 'check_number', base: base.check_number, theirs: base.check_number, mine: 'CHK-9' },
        { field: 'date', base: base.date, theirs: '2026-03-01', mine: base.date },
        { field: 'notes', base: base.notes, theirs: 'theirs', mine: 'mine' },
      ],
    });
    expect(await portfolio.stored()).toEqual(stored);
    // Who reads again may write.
    expect((await send({ notes: 'mine' }, match(await version()))).status).toBe(200);
  });

  it('notices what a neighbour changes: an invoice’s new number on its payments', async () => {
    const known = await version();
    const { data } = await portfolio.find('platform_a', 'payment', ON_A);
    const invoice = (await portfolio.list('platform_a', 'invoice')).find(
      ({ canonical_id }) => canonical_id === data.invoice_id,
    );
    const changed = await send({ number: 'INV-NEW' }, {}, {}, ['invoice', invoice?.id ?? '']);
    expect(changed.status).toBe(200);
    const refused = await send({ notes: 'mine' }, match(known));
    expectError(refused, 409, 'CONFLICT_ERROR', /has changed since/, expect.anything());
    expect(refused.body.error.details.conflicts).toContainEqual(
      expect.objectContaining({ field: 'invoice_number', base: data.invoice_number, theirs: 'INV-NEW' }),
    );
  });

  it('says so where it does not know the version', async () => {
    const refused = await send({ notes: 'mine' }, match('of-another-house'));
    expectError(refused, 409, 'CONFLICT_ERROR', /is not known/, expect.anything());
    expect(refused.body.error.details.conflicts).toMatchObject([
      { field: 'notes', base: null, mine: 'mine' },
    ]);
  });

  it.each(['abc', '"a" "b"', '', '"a",,'])('refuses a header that is no list of tags: %p', async (header) => {
    expectError(await send({ notes: 'x' }, { 'If-Match': header }), 400, 'VALIDATION_ERROR', /If-Match/);
  });

  it('lets one of many writers pass who know the same version', async () => {
    const known = await version();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, place) => send({ notes: `writer ${place}` }, match(known))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(409)]);
    const passed = answers.findIndex(({ status }) => status === 200);
    expect((await portfolio.find('platform_a', 'payment', ON_A)).data.notes).toBe(`writer ${passed}`);
  });

  it('refuses again with the same data when the same request comes again with its key', async () => {
    const known = await version();
    await send({ notes: 'theirs' });
    const headers = { ...match(known), 'Idempotency-Key': 'stale-1' };
    const [first, again] = [await send({ notes: 'mine' }, headers), await send({ notes: 'mine' }, headers)];
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect([again.status, again.body.error.details]).toEqual([409, first.body.error.details]);
  });
});
