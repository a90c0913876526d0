import type { StoredEntityType } from '@app/mapper';
import type { Connection, RecordPage, ReadScope, SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenConnector, GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

/** A platform that brings one record a page. */
class PageByPage extends GivenConnector {
  constructor(
    private readonly list: readonly SourceRecord[],
    private readonly onPage: (place: number) => Promise<void> = () => Promise.resolve(),
  ) {
    super([]);
  }

  override async *read(_connection: Connection, { entityType }: ReadScope): AsyncIterable<RecordPage> {
    for (const [place, one] of this.list.entries()) {
      if (one.entityType !== entityType) continue;
      await this.onPage(place);
      yield { records: [one], next: place };
    }
    yield { records: [], next: null, complete: true };
  }
}

const payment = (id: number, more: object = {}): SourceRecord =>
  record('payment', { id, amount: '10.00', check_number: `CHK-${id}`, project_id: 1, ...more });
const project = record('project', { id: 1, project_number: 'P-1' });

describe('a connect that reads stored records again', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    await stored.query('create table noted (customer_id uuid, run_id uuid, record text, tx text)');
    await stored.query(`create function note() returns trigger language plpgsql as $$ begin
      insert into noted values (new.customer_id, new.run_id, new.entity_type || ' ' || new.platform_id, txid_current()::text);
      return new; end $$`);
    await stored.query(
      'create trigger note before insert on staged_records for each row execute function note()',
    );
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const open = async () => {
    const { key, customerId } = await service.openSession();
    return { client: api(service.url, key), customerId };
  };

  /** What was staged since this was asked last. */
  const staged = async (customerId: string): Promise<string[]> => {
    const rows = await stored.query<{ record: string }>(
      'delete from noted where customer_id = $1 returning record',
      [customerId],
    );
    return rows.map((row) => row.record).sort();
  };

  const columnsOf = async (customerId: string, entityType: StoredEntityType, platformId: string) => {
    const [row] = await stored.query<Record<string, string | null>>(
      `select business_key, digest, modified_at, project_canonical_id, payload::text as payload, xmin::text as version
       from platform_records where customer_id = $1 and entity_type = $2 and platform_id = $3`,
      [customerId, entityType, platformId],
    );
    return row ?? {};
  };

  it('stages nothing and writes no record', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1), payment(2)]);
    const counts = await connect(client, 'platform_a');
    expect(await staged(customerId)).toEqual(['payment 1', 'payment 2', 'project 1']);
    const before = await columnsOf(customerId, 'payment', '1');
    expect(await connect(client, 'platform_a')).toEqual(counts);
    expect(await staged(customerId)).toEqual([]);
    expect(await columnsOf(customerId, 'payment', '1')).toEqual(before);
    const left = await stored.query('select 1 from staged_sightings where customer_id = $1', [customerId]);
    expect(left).toEqual([]);
  });

  it('stages changed records, new records, and records without an ID that can be stored', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1), payment(2)]);
    await connect(client, 'platform_a');
    await staged(customerId);
    sources.give(customerId, 'platform_a', [
      project,
      payment(1),
      payment(2, { notes: 'changed' }),
      payment(3),
      record('payment', { id: '\u0000' }),
      record('payment', { id: 0.5 }),
    ]);
    expect(await connect(client, 'platform_a')).toMatchObject({ projects: 1, payments: 3 });
    expect(await staged(customerId)).toEqual(['payment 2', 'payment 3']);
    expect(await listed(client, 'platform_a', 'payment', '2')).toMatchObject({ data: { notes: 'changed' } });
  });

  it('reads a record again that was written here, once', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1), payment(2)]);
    await connect(client, 'platform_a');
    const change = { format: 'platform', platform: 'platform_a', platform_id: '1', entity_type: 'payment' };
    expect((await client.post('/propagate', { ...change, data: { notes: 'ours' } })).status).toBe(200);
    expect(await columnsOf(customerId, 'payment', '1')).toMatchObject({ digest: null, modified_at: null });
    const { payload } = await columnsOf(customerId, 'payment', '1');
    await staged(customerId);
    const written = record('payment', JSON.parse(payload ?? '') as object);
    sources.give(customerId, 'platform_a', [project, written, payment(2)]);
    await connect(client, 'platform_a');
    expect(await staged(customerId)).toEqual(['payment 1']);
    await connect(client, 'platform_a');
    expect(await staged(customerId)).toEqual([]);
  });

  it('brings back what the platform still says after a write here that did not reach it', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1)]);
    await connect(client, 'platform_a');
    const change = { format: 'platform', platform: 'platform_a', platform_id: '1', entity_type: 'payment' };
    await client.post('/propagate', { ...change, data: { notes: 'ours' } });
    await connect(client, 'platform_a');
    expect((await listed(client, 'platform_a', 'payment', '1'))?.data).not.toHaveProperty('notes', 'ours');
  });

  it('makes the columns of a record anew that another release, or another currency, made', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1)]);
    await connect(client, 'platform_a');
    const before = await columnsOf(customerId, 'payment', '1');
    await stored.query(
      `update platform_records set digest = 'of another release', business_key = 'another'
       where customer_id = $1 and entity_type = 'payment'`,
      [customerId],
    );
    await staged(customerId);
    await connect(client, 'platform_a');
    expect(await columnsOf(customerId, 'payment', '1')).toMatchObject({
      digest: before.digest,
      business_key: before.business_key,
    });
    expect(await staged(customerId)).toEqual(['payment 1']);
    sources.give(customerId, 'platform_a', [project, payment(1)], { currency: 'QAR' });
    await connect(client, 'platform_a');
    expect(await staged(customerId)).toEqual(['payment 1', 'project 1']);
  });

  it('reconciles all the same when a record was written since', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, payment(1)]);
    await connect(client, 'platform_a');
    const { project_canonical_id: parent } = await columnsOf(customerId, 'payment', '1');
    await stored.query(
      `update platform_records set project_canonical_id = null, written_at = clock_timestamp()
       where customer_id = $1 and entity_type = 'payment'`,
      [customerId],
    );
    await connect(client, 'platform_a');
    expect(await columnsOf(customerId, 'payment', '1')).toMatchObject({ project_canonical_id: parent });
  });

  const at = (time: string, notes: string) => payment(1, { updated_at: time, notes });
  const [old, now, later] = [
    at('2026-01-01T00:00:00Z', 'old'),
    at('2026-01-02T00:00:00Z', 'now'),
    at('2026-01-03T00:00:00Z', 'later'),
  ];
  it.each([
    ['an older copy before it', [old, now], 'now'],
    ['an older copy after it', [now, old], 'now'],
    ['a newer copy before it', [later, now], 'later'],
    ['a newer copy after it', [now, later], 'later'],
    ['one of each', [later, now, old], 'later'],
  ])('keeps the newest copy of a record: %s', async (_, copies, newest) => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [project, now]);
    await connect(client, 'platform_a');
    sources.use(customerId, 'platform_a', new PageByPage([project, ...copies]));
    await connect(client, 'platform_a');
    expect(await listed(client, 'platform_a', 'payment', '1')).toMatchObject({ data: { notes: newest } });
  });

  it('stores pages together that come while another one is being stored', async () => {
    const { client, customerId } = await open();
    const holder = await StoredRecords.open(service.databaseUrl);
    await holder.query('begin');
    await holder.query('lock table staged_records in exclusive mode');
    const payments = Array.from({ length: 12 }, (_, index) => payment(index + 1));
    sources.use(
      customerId,
      'platform_a',
      new PageByPage(payments, async (place) => {
        if (place === payments.length - 1) await holder.close();
      }),
    );
    expect(await connect(client, 'platform_a')).toMatchObject({ payments: 12 });
    const [row] = await stored.query<{ transactions: number; records: number }>(
      `select count(distinct tx)::int as transactions, count(*)::int as records from noted where customer_id = $1`,
      [customerId],
    );
    expect(row?.records).toBe(12);
    expect(row?.transactions).toBeLessThan(6);
  });
});
