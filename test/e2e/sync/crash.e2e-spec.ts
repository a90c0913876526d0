import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startApp, type RunningApp } from '../../support/app';
import { api } from '../../support/api';
import { connect, withoutRuns } from '../../support/listings';
import { startServiceProcess } from '../../support/service-process';
import { StoredRecords } from '../../support/stored-records';

// Processes are started and killed.
jest.setTimeout(120_000);

describe('a process that is killed in the middle of a connect', () => {
  let survivor: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    survivor = await startApp();
    stored = await StoredRecords.open(survivor.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await survivor.close();
  });

  /** Holds a table, so that a run stops where it comes to write it. */
  async function hold(table: string) {
    const holder = new Client({ connectionString: survivor.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query(`lock table ${table} in exclusive mode`);
    return { letGo: () => holder.end() };
  }

  async function workWaits(): Promise<void> {
    for (let looks = 0; looks < 1_000; looks += 1) {
      const waiting = await stored.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (waiting.length > 0) return;
      await sleep(20);
    }
    throw new Error('The run never came there.');
  }

  const leftOf = async (customerId: string): Promise<number> => {
    const rows = await stored.query(
      `select 1 from staged_records where customer_id = $1 union all select 1 from sync_checkpoints where customer_id = $1
       union all select 1 from staged_placements where customer_id = $1`,
      [customerId],
    );
    return rows.length;
  };
  const endedRuns = async (customerId: string) =>
    (
      await stored.query<{ status: string }>('select status from sync_runs where customer_id = $1', [
        customerId,
      ])
    ).map(({ status }) => status);

  it.each([
    ['while it stores a page', 'staged_records'],
    ['while it reconciles', 'platform_records'],
  ])('%s leaves nothing visible, and another instance brings the run to its end', async (_, table) => {
    const { key, customerId } = await survivor.openSession();
    const victim = await startServiceProcess(survivor.databaseUrl);
    const held = await hold(table);
    const cut = api(victim.url, key)
      .post('/connect', { platform: 'platform_a' })
      .then(
        ({ status }) => status,
        () => 'cut',
      );
    await workWaits();
    await victim.kill();
    expect(await cut).toBe('cut');
    await held.letGo();

    const client = api(survivor.url, key);
    // Nothing takes the run over before this.
    await stored.query(
      `update sync_runs set lease_until = now() + interval '1 hour' where customer_id = $1 and status = 'running'`,
      [customerId],
    );
    expect((await client.get('/connections')).body.data.connections).toEqual([]);
    expect(await stored.of(customerId)).toEqual([]);
    // The lease would have seconds to go.
    await stored.query(
      `update sync_runs set lease_until = now() + interval '500 ms' where customer_id = $1 and status = 'running'`,
      [customerId],
    );
    // Joins the run, and takes it over when the lease is over.
    expect(await connect(client, 'platform_a')).toMatchObject({ payments: 8, contracts: 13 });
    expect(await endedRuns(customerId)).toEqual(['done']);
    expect(await stored.of(customerId)).toHaveLength(38);
    expect(await leftOf(customerId)).toBe(0);
  });

  it('after the commit and before the answer has done its work', async () => {
    const { key, customerId } = await survivor.openSession();
    const victim = await startServiceProcess(survivor.databaseUrl);
    const reconciling = await hold('platform_records');
    const cut = api(victim.url, key)
      .post('/connect', { platform: 'platform_a' })
      .catch(() => 'cut');
    await workWaits();
    const tidying = await hold('sync_checkpoints');
    await reconciling.letGo();
    while (!(await endedRuns(customerId)).includes('done')) await sleep(20);
    await victim.kill();
    expect(await cut).toBe('cut');
    await tidying.letGo();

    expect(await stored.of(customerId)).toHaveLength(38);
    const before = (await api(survivor.url, key).get('/connections')).body.data;
    expect(await connect(api(survivor.url, key), 'platform_a')).toMatchObject({ payments: 8 });
    const after = (await api(survivor.url, key).get('/connections')).body.data;
    expect(withoutRuns(after)).toEqual(withoutRuns(before));
    for (let looks = 0; looks < 1_000 && (await leftOf(customerId)) > 0; looks += 1) await sleep(20);
    expect(await leftOf(customerId)).toBe(0);
  });
});
