import { canonicalReferences } from '../../../src/records/objects/canonical-references.repository';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

describe('what names a canonical object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('is all listed, so that a merge moves it', async () => {
    const columns = await stored.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and column_name like '%canonical_id' and table_name not like 'staged\\_%'
         and table_name not in ('record_versions', 'extra_versions', 'absent_moves', 'events') -- They say what was known at their time.
       order by 1, 2`,
    );
    const inOrder = (list: typeof canonicalReferences) =>
      list.map(({ table, column }) => `${table}.${column}`).toSorted();
    expect(inOrder(canonicalReferences)).toEqual(inOrder(columns));
  });

  it('moves with a merge, accounts of changes among it', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 'CHK-1' })]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b1', externalDocumentNumber: 'CHK-2' }),
    ]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: 'b1',
      entity_type: 'payment',
      data: { comment: 'before the merge' },
    });
    expect(change.status).toBe(200);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1' }),
    ]);
    await connect(client, 'platform_b');
    const { canonical_id: stays } = await listed(client, 'platform_a', 'payment', '1');
    expect((await listed(client, 'platform_b', 'payment', 'b1')).canonical_id).toBe(stays);
    const accounts = await stored.query('select canonical_id from propagations where customer_id = $1', [
      customerId,
    ]);
    expect(accounts.length).toBeGreaterThan(0);
    expect(new Set(accounts.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify({ canonical_id: stays })]),
    );
  });
});
