import { ColumnFill } from '../../../src/records/column-fill/column-fill';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { never } from '../../support/this-process/never';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

/** More than fill one page. */
const PAYMENTS = 430;

const payment = (id: number, more: object = {}) =>
  record('payment', {
    id,
    check_number: `CHK-${id}`,
    amount: `${id}.00`,
    date: '2026-01-01',
    status: 'paid',
    ...more,
  });

describe('records that a former release stored', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    await endBackgroundTasks(service.app);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('are found and ordered once their columns are filled, and are otherwise as they were', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const platform = new MovingPlatform(
      Array.from({ length: PAYMENTS }, (_, place) => payment(place + 1)).concat(
        payment(900, { date: null, check_number: null, status: null, amount: null }),
        payment(901, { notes: 'x'.repeat(200_000) }),
      ),
    );
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const [known] = await stored.query<{ count: number }>(
      `select reltuples::int as count from pg_class where oid = 'platform_records'::regclass`,
    );
    // Fewer than a large connect brings, but a planner that takes the table for empty reads all of it for each record of a listing.
    expect(known?.count).toBeGreaterThanOrEqual(PAYMENTS);
    platform.remove('payment', '7');
    for (let reading = 0; reading < 2; reading += 1) {
      await readPlatform(service, { customerId, platform: 'platform_a' });
    }
    const queries = [
      'q=chk-42',
      'status=paid&limit=500',
      'date_from=2026-01-01&limit=500',
      'sort=-amount&limit=500',
      'q=chk-7&include_deleted=true',
    ];
    // One after the other: side by side they take as long together as the service gives one of them on a busy machine.
    const answers = async () => {
      const given = [];
      for (const query of queries) {
        const { status, body } = await client.get(
          `/objects?platform=platform_a&entity_type=payment&${query}`,
        );
        given.push({ status, data: body.data });
      }
      return given;
    };
    const before = await answers();
    expect(before.map(({ data }) => data.length)).toEqual([11, 430, 430, 431, 11]);
    const contents = () =>
      stored.query(
        `select to_jsonb(r) as row from platform_records r where customer_id = $1 union all
         select to_jsonb(d) from deleted_records d where customer_id = $1 order by row`,
        [customerId],
      );
    const rows = await contents();
    for (const table of ['platform_records', 'deleted_records']) {
      await stored.query(
        `update ${table} set status = null, document_date = null, amount_order = null, search_words = null
         where customer_id = $1`,
        [customerId],
      );
    }
    await stored.query(
      `insert into column_fills (customer_id, platform) values ($1, 'platform_a'), ($1, 'platform_b')`,
      [customerId],
    );
    expect((await answers()).map(({ data }) => data.length)).toEqual([0, 0, 0, 431, 0]);
    const fill = service.app.get(ColumnFill, { strict: false });
    await fill.sweep(never);
    expect(await contents()).toEqual(rows);
    expect(await answers()).toEqual(before);
    expect(await stored.query('select from column_fills', [])).toEqual([]);
    await fill.sweep(never);
    expect(await contents()).toEqual(rows);
  });
});
