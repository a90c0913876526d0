import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { allListings, connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

describe('a connect that fails midway', () => {
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

  const payments = (count: number): SourceRecord[] =>
    Array.from({ length: count }, (_, index) =>
      record('payment', { id: index + 1, check_number: `CHK-${index}`, notes: 'x'.repeat(500) }),
    );
  /** Rows of a customer in all tables that a connect, or what follows it, fills. */
  const rowsOf = async (customerId: string) => {
    const tables = [
      'connections',
      'canonical_objects',
      'canonical_aliases',
      'platform_records',
      'propagations',
      'sync_checkpoints',
      'staged_records',
      'staged_placements',
      'staged_merges',
    ];
    const rows = await stored.query(
      tables.map((table) => `select 1 from ${table} where customer_id = $1`).join(' union all '),
      [customerId],
    );
    return rows.length;
  };

  it('because of its source leaves no trace, and can be made again', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', async function* () {
      yield* payments(3_000);
      await Promise.reject(new Error('the platform hung up on token=hunter2'));
    });
    expectError(
      await client.post('/connect', { platform: 'platform_a' }),
      500,
      'INTERNAL_ERROR',
      /^(?!.*hunter2)/,
    );
    expect(await rowsOf(customerId)).toBe(0);
    expect((await client.get('/connections')).body.data.connections).toEqual([]);

    sources.give(customerId, 'platform_a', payments(10));
    expect(await connect(client, 'platform_a')).toMatchObject({ payments: 10 });
  });

  it('leaves what an earlier connect brought as it was', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const before = await allListings(client);
    sources.give(customerId, 'platform_a', async function* () {
      yield record('payment', { id: 1823456, check_number: 'CHK-OTHER' });
      await Promise.reject(new Error('the platform hung up'));
    });
    expectError(await client.post('/connect', { platform: 'platform_a' }), 500, 'INTERNAL_ERROR');
    expect(await allListings(client)).toEqual(before);
  });

  it.each([0, 2_000])(
    'because its database connection is cut after %i records leaves no trace',
    async (count) => {
      const { key, customerId } = await service.openSession();
      const client = api(service.url, key);
      const { opened: underWay, open: arrived } = latch();
      const { opened: cut, open: goOn } = latch();
      sources.give(customerId, 'platform_a', async function* () {
        yield* payments(count);
        arrived();
        await cut;
        yield* payments(count + 600);
      });
      const answer = client.post('/connect', { platform: 'platform_a' });
      await underWay;
      // The next page waits for this table, with the run's row already in hand.
      await stored.query('begin');
      await stored.query('lock table staged_records in exclusive mode');
      goOn();
      await terminateWaiting('copy staged_records');
      await stored.query('rollback');
      expectError(await answer, 502, 'EXTERNAL_SERVICE_ERROR');
      expect(await rowsOf(customerId)).toBe(0);

      sources.give(customerId, 'platform_a', payments(10));
      expect(await connect(client, 'platform_a')).toMatchObject({ payments: 10 });
    },
  );

  /**
   * Ends the server process that waits for a lock with a statement of which this is a part. It takes a moment to come there,
   * so it is looked for. Jobs in the background may wait for the same table.
   */
  async function terminateWaiting(statement: string): Promise<void> {
    for (let looks = 0; looks < 500; looks += 1) {
      // Within a transaction the server shows what others ran when it was first asked.
      await stored.query('select pg_stat_clear_snapshot()');
      const ended = await stored.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ilike '%' || $1 || '%'`,
        [statement],
      );
      if (ended.length > 0) return;
      await sleep(20);
    }
    throw new Error('Nobody came to wait.');
  }

  it('because one of its statements is ended leaves no trace', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', payments(50));
    // The connect has copied its records by the time it comes to this table, and must wait there.
    await stored.query('begin');
    await stored.query('lock table platform_records in exclusive mode');
    const answer = client.post('/connect', { platform: 'platform_a' });
    await terminateWaiting('platform_records');
    await stored.query('rollback');
    expectError(await answer, 502, 'EXTERNAL_SERVICE_ERROR');
    expect(await rowsOf(customerId)).toBe(0);
    expect(await connect(client, 'platform_a')).toMatchObject({ payments: 50 });
  });
});
