import { isJsonArray, ownMember, storedEntityTypes, stringifyJson, type JsonObject } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import type { RecordPage } from '../../../../src/platforms/connector';
import { PlatformRefused, PlatformUnavailable } from '../../../../src/platforms/platform-error';
import {
  type LivePlatformB,
  openWorkplace,
  startLivePlatformB,
  textOf,
  type Workplace,
} from '../../../support/live/live-platform-b';
import { never } from '../../../support/this-process/never';

const payloads = (pages: readonly RecordPage[]): readonly JsonObject[] =>
  pages.flatMap(({ records }) => records.map(({ payload }) => payload));
const ids = (pages: readonly RecordPage[]): string[] =>
  payloads(pages)
    .map((payload) => textOf(payload, 'id'))
    .sort();

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterAll(() => workplace.close());

describe('reading platform_b', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({}, {}, workplace);
  });
  afterEach(() => live.close());

  it.each(storedEntityTypes)('has every %s of the company, with its fields', async (entityType) => {
    const pages = await live.read(entityType);
    const sample = behaviourOf('platform_b')
      .portfolio()
      .filter((record) => record.entityType === entityType);
    expect(pages.at(-1)).toMatchObject({ next: null, complete: true });
    expect(pages.at(-1)).not.toHaveProperty('gaps');
    expect(ids(pages)).toEqual(sample.map(({ payload }) => textOf(payload, 'id')).sort());
    for (const { payload } of sample) {
      const read = payloads(pages).find(({ id }) => id === payload['id']);
      expect(Object.keys(read ?? {}).sort()).toEqual(expect.arrayContaining(Object.keys(payload).sort()));
    }
  });

  it.each(storedEntityTypes)('shows a %s alike in a list and alone', async (entityType) => {
    const [first] = payloads(await live.read(entityType));
    const alone = await live.get(entityType, textOf(first, 'id'));
    expect(stringifyJson(alone ?? null)).toBe(stringifyJson(first ?? null));
  });

  it('has the lines of documents inside', async () => {
    for (const [type, lines] of [
      ['contract', 'salesOrderLines'],
      ['invoice', 'salesInvoiceLines'],
    ] as const) {
      for (const payload of payloads(await live.read(type))) {
        expect(isJsonArray(ownMember(payload, lines))).toBe(true);
      }
    }
  });

  it('finds no record under an unknown or invalid key', async () => {
    expect(await live.get('contract', '11111111-2222-3333-4444-555555555555')).toBeUndefined();
    live.calls();
    expect(await live.get('contract', "x' or 1 eq 1")).toBeUndefined();
    expect(live.calls()).toEqual([]);
    live.platform.control.switches.set('recordNotFoundStatus', 400);
    expect(await live.get('contract', '11111111-2222-3333-4444-555555555555')).toBeUndefined();
  });

  it('names the local currency, or the one of its settings', async () => {
    expect(await live.connector.describe(live.connection)).toEqual({ currency: 'QAR' });
    await live.choose({ currency: 'OMR' });
    live.calls();
    expect(await live.connector.describe(live.connection)).toEqual({ currency: 'OMR' });
    expect(live.calls()).toEqual([]);
  });

  it('shows payments of the standard page as they come, without a currency', async () => {
    const custom = payloads(await live.read('payment'));
    await live.choose({ customPayments: false });
    const standard = payloads(await live.read('payment'));
    expect(standard.map((payment) => textOf(payment, 'id'))).toEqual(
      custom.map((payment) => textOf(payment, 'id')),
    );
    for (const payment of standard) expect(payment).not.toHaveProperty('currencyCode');
    const [payment] = standard;
    expect(await live.get('payment', textOf(payment, 'id'))).toEqual(payment);
  });

  it('reads the payments of every journal when none is named', async () => {
    const { control } = live.platform;
    const inserted = control.edit('insert', {
      table: 'customerPaymentJournals',
      fields: { code: 'SECOND', displayName: 'Second', templateDisplayName: 'CASHRCPT' },
    }) as JsonObject;
    control.edit('insert', {
      table: 'customerPayments',
      fields: {
        journalId: textOf(inserted, 'id'),
        journalDisplayName: 'SECOND',
        lineNumber: 10_000,
        amount: -5,
      },
    });
    const named = ids(await live.read('payment'));
    await live.choose({ journal: null });
    expect(ids(await live.read('payment'))).toHaveLength(named.length + 1);
  });

  it('finds a payment of another journal than the named one no more', async () => {
    const { control } = live.platform;
    const journal = textOf(control.records('customerPayments')[0], 'journalDisplayName');
    const id = textOf(control.records('customerPayments')[0], 'id');
    control.edit('insert', {
      table: 'customerPaymentJournals',
      fields: { code: 'SECOND', displayName: 'Second', templateDisplayName: 'CASHRCPT' },
    });
    for (const [choice, isFound] of [
      [journal.toLowerCase(), true],
      [null, true],
      ['second', false],
    ] as const) {
      await live.choose({ journal: choice });
      expect(ids(await live.read('payment')).includes(id)).toBe(isFound);
      expect((await live.get('payment', id)) !== undefined).toBe(isFound);
    }
  });

  it('names the journal that does not exist', async () => {
    await live.choose({ journal: 'NONE' });
    const pages = await live.read('payment');
    expect(pages).toMatchObject([
      { records: [], complete: false, gaps: ['journal NONE: there is no such journal'] },
    ]);
  });

  it('treats records that may not be read as a gap, never as an empty list', async () => {
    live.platform.control.faults.add({
      kind: 'status',
      status: 403,
      text: '{"error":{"code":"Authorization_RequestDenied","message":"No."}}',
      match: { path: '/salesOrders' },
    });
    expect(await live.read('contract')).toMatchObject([
      { records: [], next: null, complete: false, gaps: ['salesOrders (403)'] },
    ]);
  });

  it('ends with an error that names platform and status, and no body', async () => {
    const { faults } = live.platform.control;
    faults.add({ kind: 'html', status: 502, match: { path: '/projects' }, times: 0 });
    const failing = live.read('project');
    await expect(failing).rejects.toThrow(PlatformUnavailable);
    await expect(failing).rejects.toThrow(/^platform_b cannot serve now \(502\)$/);
    await live.choose({ companyId: '99999999-9999-4999-8999-999999999999' });
    await expect(live.read('customer')).rejects.toThrow('platform_b has no such company (404)');
    await live.choose({ secret: 'wrong' });
    await expect(live.read('customer')).rejects.toThrow(PlatformRefused);
    await expect(live.read('customer')).rejects.toThrow('platform_b refused the credentials (401)');
  });

  it('does not accept a malformed answer', async () => {
    const { faults } = live.platform.control;
    faults.add({ kind: 'status', status: 200, text: '<html>', match: { path: '/projects' }, times: 3 });
    await expect(live.read('project')).rejects.toThrow('platform_b answers nonsense (200)');
    faults.add({ kind: 'status', status: 200, text: '{"value":[1]}', match: { path: '/projects' } });
    await expect(live.read('project')).rejects.toThrow('platform_b answers nonsense (200)');
  });

  it.each([
    ['an object without a key', 200, '{}'],
    ['another record', 200, '{"id":"11111111-2222-4333-8444-555555555555"}'],
    ['a gateway’s 404', 404, '<html><body>Not Found</body></html>'],
  ] as const)('reads %s neither as a record nor as a deletion', async (_, status, text) => {
    const [customer] = live.platform.control.records('customers');
    live.platform.control.faults.add({
      kind: 'status',
      status,
      text,
      match: { path: String.raw`/customers\(` },
      times: 9,
    });
    await expect(live.get('customer', textOf(customer, 'id'))).rejects.toThrow(
      `platform_b answers nonsense (${status})`,
    );
  });

  it.each([
    ['a gateway’s page', '<html><body>Not Found</body></html>', 'platform_b answers nonsense (404)'],
    [
      'an environment that is away',
      '{"error":{"code":"Internal_TenantUnavailable","message":"Later."}}',
      'platform_b refused (404)',
    ],
  ])('takes a 404 for a failure and no gap where it is %s', async (_, text, message) => {
    const path = '/salesOrders';
    live.platform.control.faults.add({ kind: 'status', status: 404, text, match: { path } });
    await expect(live.read('contract')).rejects.toThrow(message);
    const code = 'BadRequest_ResourceNotFound';
    const own = `{"error":{"code":"${code}","message":"No such page."}}`;
    live.platform.control.faults.add({ kind: 'status', status: 404, text: own, match: { path } });
    expect(await live.read('contract')).toMatchObject([{ complete: false, gaps: ['salesOrders (404)'] }]);
  });

  it.each(['truncate', 'cut'] as const)('asks again for a page whose body is cut (%s)', async (kind) => {
    live.platform.control.faults.add({ kind, match: { path: '/projects' } });
    expect(await live.read('project')).toMatchObject([{ complete: true, calls: 2 }]);
  });

  it('gets a new token when its token has expired', async () => {
    await live.read('project');
    live.platform.control.edit('expire_tokens');
    expect(await live.read('project')).toHaveLength(1);
  });

  it('sends its token to no other host', async () => {
    const link = 'http://127.0.0.2:9/api/v2.0/next';
    live.platform.control.faults.add({
      kind: 'status',
      status: 200,
      text: stringifyJson({ value: [], '@odata.nextLink': link }),
      match: { path: '/projects' },
    });
    await expect(live.read('project')).rejects.toThrow('platform_b names an address on another host');
  });

  it('tests a connection in one line', async () => {
    const test = () => live.connector.test(live.connection, never);
    expect(await test()).toEqual({
      ok: true,
      message: 'platform_b answers: customers and payments can be read',
    });
    await live.choose({ journal: 'NONE' });
    expect(await test()).toEqual({ ok: false, message: 'platform_b answers, and has no journal NONE' });
    await live.choose({ secret: 'wrong' });
    expect(await test()).toEqual({ ok: false, message: 'platform_b refused the credentials (401)' });
    await live.choose({});
    live.platform.control.faults.add({ kind: 'status', status: 403, match: { path: '/customers' } });
    expect(await test()).toEqual({
      ok: false,
      message: 'platform_b does not let customers be read (403)',
    });
  });
});
