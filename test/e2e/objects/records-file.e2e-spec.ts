import { readPlatform } from '../../support/platforms/read-platform';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { cellsOf, csvOf, rowsOf } from '../../support/customers/exported-files';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const csv = { Accept: 'text/csv' };
const path = (platform: string, type: string, more = '') =>
  `/objects?platform=${platform}&entity_type=${type}${more}`;

describe('GET /objects as a file', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('has each record as the platform and as the statement have it, with names beside IDs', async () => {
    const { key, customerId } = await service.openSession();
    sources.give(customerId, a, [
      record('project', { id: 1, project_number: 'P-1', name: 'Tower' }),
      record(
        'contract',
        { id: 7, number: '007', title: '=1+1', project: { id: 1 }, contract_start_date: '2026-01-31' },
        'WorkOrderContract',
      ),
      record('payment', { id: 1, amount: '100.50', check_number: 'K-1', date: '2026-02-01', contract_id: 7 }),
      record('payment', { id: 2, amount: 'much', check_number: 'K-2' }),
    ]);
    sources.give(customerId, b, [
      record('payment', {
        id: 'b1',
        amount: -1000.5,
        currencyCode: 'JPY',
        externalDocumentNumber: 'K-3',
      }),
      record('payment', {
        id: 'b2',
        amount: -369.11,
        currencyCode: 'AED',
        externalDocumentNumber: 'K-1',
        postingDate: '2026-02-02',
      }),
    ]);
    const client = api(service.url, key);
    for (const platform of [a, b]) await connect(client, platform);
    const listed = async (platform: string, type: string) =>
      (await client.get(path(platform, type))).body.data;
    const [project] = await listed(a, 'project');
    const [paid, unread] = await listed(a, 'payment');

    const response = await fetch(`${service.url}/api/v1${path(a, 'payment')}`, {
      headers: { Authorization: `Bearer ${key}`, ...csv },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="platform_a-payments-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const text = await response.text();
    expect(cellsOf(text).slice(0, 6)).toEqual([
      ['file', 'records'],
      ['customer', customerId, expect.any(String)],
      ['filter platform', a],
      ['filter entity_type', 'payment'],
      ['as of', expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)],
      ['request', response.headers.get('x-request-id')],
    ]);
    expect(rowsOf(text)).toEqual([
      {
        entity_type: 'payment',
        platform: a,
        native_id: '1',
        number: 'K-1',
        title: '',
        canonical_id: paid.canonical_id,
        linked_records: `${b} b2`,
        project_id: project.canonical_id,
        project_name: 'Tower',
        status: '',
        document_date: '2026-02-01',
        due_date: '',
        native_amount: '100.50',
        amount: '100.50',
        currency: 'USD',
      },
      expect.objectContaining({
        native_id: '2',
        canonical_id: unread.canonical_id,
        linked_records: '',
        native_amount: 'much',
        amount: '',
        currency: '',
      }),
    ]);
    const onB = rowsOf(await csvOf(service.url, key, path(b, 'payment')));
    expect(
      onB.map((row) => [row['native_id'], row['native_amount'], row['amount'], row['currency']]),
    ).toEqual([
      ['b1', '-1000.5', '', ''],
      ['b2', '-369.11', '369.11', 'AED'],
    ]);
    // A payment that names no project counts in that of the linked one.
    expect(onB[1]).toMatchObject({ linked_records: `${a} 1`, project_name: 'Tower' });
    expect(rowsOf(await csvOf(service.url, key, path(a, 'contract')))).toMatchObject([
      { number: "'007", title: "'=1+1", document_date: '2026-01-31', project_name: 'Tower', amount: '' },
    ]);
  });

  it('has every record once, whatever a page holds, and shows one moment', async () => {
    const { key, customerId } = await service.openSession();
    const notes = 'n'.repeat(16_000);
    const payments = (count: number, amount: number, text: string) =>
      Array.from({ length: count }, (_, place) =>
        record('payment', {
          id: place + 1,
          amount: `${place + amount}.00`,
          check_number: `K-${place}`,
          notes: place < 300 ? text : '',
        }),
      );
    sources.give(customerId, a, payments(530, 0, notes));
    const client = api(service.url, key);
    await connect(client, a);
    const file = (more = '') => csvOf(service.url, key, path(a, 'payment', `&head=false${more}`));
    const first = await csvOf(service.url, key, path(a, 'payment', '&limit=1&cursor=ignored'));
    const rows = rowsOf(first);
    const ids = rows.map((row) => row['native_id'] ?? '');
    expect(ids).toEqual(Array.from({ length: 530 }, (_, place) => String(place + 1)).toSorted());
    for (const row of rows) expect(row['amount']).toBe(`${Number(row['native_id']) - 1}.00`);
    const asOf = cellsOf(first).find(([name]) => name === 'as of')?.[1] ?? '';

    // Some change, some go, some come.
    sources.give(customerId, a, [
      ...payments(527, 5, 'short'),
      record('payment', { id: 9_000, amount: '1.00', check_number: 'K-new' }),
    ]);
    // What two whole readings of a live platform miss is gone.
    await makeLive(stored, customerId, a);
    for (let times = 0; times < 2; times += 1) await readPlatform(service, { customerId, platform: a });
    expect(rowsOf(await file())).toHaveLength(528);
    expect(rowsOf(await file(`&as_of=${asOf}`))).toEqual(rows);
  });

  it('is empty for a platform that is not connected', async () => {
    const { key } = await service.openSession();
    expect(rowsOf(await csvOf(service.url, key, path(a, 'invoice')))).toEqual([]);
  });

  it('refuses what does not go with a file, and a listing what goes with files alone', async () => {
    const { key } = await service.openSession();
    const client = api(service.url, key);
    const given = { canonical_id: 'x', q: 'K', status: 'pending', project_id: 'x', date_from: '2026-01-01' };
    const others = { date_to: '2026-01-01', sort: 'date', count: 'true', include_deleted: 'true' };
    for (const [name, value] of Object.entries({ ...given, ...others, modified_after: '2026-01-01' })) {
      const answer = await client.get(path(a, 'payment', `&${name}=${value}`), csv);
      expectError(answer, 400, 'VALIDATION_ERROR', new RegExp(`${name} does not go with Accept: text/csv`));
    }
    const both = /platform and entity_type are both required/;
    expectError(await client.get('/objects?entity_type=payment&q=K', csv), 400, 'VALIDATION_ERROR', both);
    expectError(await client.get('/objects?platform=platform_a', csv), 400, 'VALIDATION_ERROR', both);
    const asOf = path(a, 'payment', '&as_of=2026-01-01');
    expectError(await client.get(asOf), 400, 'VALIDATION_ERROR', /as_of goes with Accept: text\/csv alone/);
    const future = path(a, 'payment', '&as_of=2999-01-01');
    expectError(await client.get(future, csv), 400, 'VALIDATION_ERROR', /as_of must not lie in the future/);
  });
});
