import { versionColumns } from '../../../src/database/entities/record-columns';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

describe('a difference that was never settled is as old as', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    // A thousand versions may take longer than an answer waits, on a machine that does other things.
    service.app.get(StatementTimes, { strict: false }).wait = 30_000;
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, notes?: string): Promise<void> => {
      const payment = record('payment', { id: 1, amount: '100.00', check_number: 'CHK-1', notes });
      sources.give(customerId, platform, notes === undefined ? [] : [payment]);
      await connect(client, platform);
    };
    await read(b);
    await read(a, '0');
    const openedAt = async (asOf?: string): Promise<string> => {
      const { status, body } = await client.get(
        `/reconciliation/cases?entity_type=payment${asOf === undefined ? '' : `&as_of=${asOf}`}`,
      );
      expect({ status, cases: body.data?.length }).toEqual({ status: 200, cases: 1 });
      return body.data[0].opened_at;
    };
    /** Gives the record a former version of each of so many hours, and says when the one before each number began. */
    const givePast = async (hours: number): Promise<(versions: number) => Promise<string>> => {
      const others = versionColumns.map(({ name }) => name).filter((name) => name !== 'since');
      await stored.query(
        `insert into record_versions (${others.join(', ')}, since, until)
         select ${others.join(', ')}, since - n * interval '1 hour', since - (n - 1) * interval '1 hour'
         from platform_records, generate_series(1, $2) n where customer_id = $1`,
        [customerId, hours],
      );
      return async (versions) => {
        const [row] = await stored.query<{ at: string }>(
          `select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from record_versions
           where customer_id = $1 order by since desc offset $2 limit 1`,
          [customerId, versions - 1],
        );
        return row?.at ?? '';
      };
    };
    return { read, openedAt, givePast };
  }

  it('the first reading of a record of which few versions are read at once', async () => {
    const { read, openedAt } = await open();
    const large = 'x'.repeat(200_000);
    const seen: string[] = [await openedAt()];
    for (const notes of ['1', '2', '3', '4']) {
      await read(a, `${large}${notes}`);
      seen.push(await openedAt());
    }
    expect(new Set(seen)).toEqual(new Set([seen[0]]));
  });

  it('the oldest of a hundred versions, also where all objects of a time are compared', async () => {
    const { read, openedAt, givePast } = await open();
    const beginningOf = await givePast(120);
    await read(a, '1');
    const oldest = await beginningOf(121);
    expect(await openedAt()).toBe(oldest);
    const then = new Date().toISOString();
    await read(a, '2');
    const times = service.app.get(StatementTimes, { strict: false });
    times.touched = -1;
    expect(await openedAt(then)).toBe(oldest);
    times.touched = new StatementTimes().touched;
  });

  it('the oldest of a thousand versions, which are the most that are compared', async () => {
    const { read, openedAt, givePast } = await open();
    const beginningOf = await givePast(1_020);
    await read(a, '1');
    // At the end of the oldest version that is read, the next one began.
    expect(await openedAt()).toBe(await beginningOf(999));
  });
});
