import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { readListingPage, type Read } from '../../../src/objects/listing/listing-page.repository';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(180_000);

/** More payments than an index leads to. Those with the largest IDs change: a walk in the order meets them last. */
const COUNT = 6_900;
const CHANGED = 5_200;
const LIMIT = 500;

/** Records that a page examines at most, in their order. */
const EXAMINED = 1_500;

describe('a list of what changed, where thousands of records did', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  let client: ReturnType<typeof api>;
  let customerId: string;
  let before: string;

  /** Payments of an invoice each; the last ones, and one contract, are other ones than before. */
  const books = (note: string) => [
    record('contract', { id: 1, number: 'C-1', title: note }),
    ...Array.from({ length: COUNT }, (_, index) =>
      record('payment', {
        id: index + 1,
        check_number: `CHK-${index + 1}`,
        notes: index < COUNT - CHANGED ? '' : note,
      }),
    ),
  ];

  const pages = async (more: string): Promise<readonly (readonly string[])[]> => {
    const all: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/objects?platform=platform_a&entity_type=payment&limit=${LIMIT}&modified_after=${before}`;
      const { status, body } = await client.get(`${path}${more}${cursor && `&cursor=${cursor}`}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      all.push(body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    return all;
  };

  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    const { key, customerId: id } = await service.openSession();
    [client, customerId] = [api(service.url, key), id];
    sources.give(id, 'platform_a', books('first'));
    await connect(client, 'platform_a');
    const [row] = await stored.query<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    );
    before = row?.now ?? '';
    sources.give(id, 'platform_a', books('second'));
    await connect(client, 'platform_a');
    await stored.query('vacuum analyze');
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const changed = Array.from({ length: CHANGED }, (_, index) => String(COUNT - CHANGED + index + 1));

  it('has each of them once, in order, whatever the order', async () => {
    expect((await pages('')).flat()).toEqual(changed);
    const byNumber = changed.toSorted((one, other) => (`CHK-${one}` < `CHK-${other}` ? -1 : 1));
    expect((await pages('&sort=number')).flat()).toEqual(byNumber);
    expect((await pages('&sort=-number')).flat()).toEqual(byNumber.toReversed());
  });

  it('reads for a page what it examines, and not all records', async () => {
    const read = await service.app.get(UnitOfWork, { strict: false }).runFor(customerId, async (tx) => {
      const count = async () => {
        const [row] = await tx.store.query<{ read: number }>(
          `select sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid))::int as read
           from pg_class c where c.oid = 'platform_records'::regclass or c.oid in (
             select i.indexrelid from pg_index i where i.indrelid = 'platform_records'::regclass)`,
        );
        return row?.read ?? NaN;
      };
      const first = await count();
      const reader: Read = (sql, parameters) => tx.store.query(sql, parameters);
      const selection = {
        customerId,
        platform: 'platform_a',
        entityType: 'payment',
        modifiedAfter: before,
      } as const;
      const position = { nativeOrder: '', platformId: '', records: LIMIT };
      const page = await readListingPage(reader, selection, position, { bytes: 4_000_000 });
      // The first records have not changed, so the page has none, and goes on behind what was examined.
      expect([page?.records.length, page?.next?.platformId]).toEqual([0, String(EXAMINED)]);
      return (await count()) - first;
    });
    // Changes are looked up to their limit, twice where it is reached. Each examined record is looked at as a key and as a record.
    expect(read).toBeLessThan(3 * 5_000 + 3 * EXAMINED);
  });
});
