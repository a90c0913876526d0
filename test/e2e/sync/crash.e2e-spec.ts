import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type RunningApp } from '../../support/app/app';
import { api } from '../../support/app/api';
import { holdWrites, makeHoldable, type Hold } from '../../support/database/held-statements';
import { connect, withoutRuns } from '../../support/customers/listings';
import { startServiceProcess } from '../../support/processes/service-process';
import { StoredRecords } from '../../support/database/stored-records';

// A process is started and killed.
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

  /** Customers whose connects are cut, by where; and how each was cut. */
  const cut = new Map<string, { readonly key: string; readonly customerId: string; answer: unknown }>();
  const at = (where: string) => {
    const customer = cut.get(where);
    if (customer === undefined) throw new Error(`No connect was cut ${where}`);
    return customer;
  };

  // One process is enough for all: the kill finds the connect of each customer at a point of its own.
  beforeAll(async () => {
    const { databaseUrl } = survivor;
    await makeHoldable(databaseUrl, 'staged_records', 'platform_records', 'sync_checkpoints');
    const victim = await startServiceProcess(databaseUrl);
    const holds: Hold[] = [];
    const answers: Promise<void>[] = [];
    for (const [where, table, write] of [
      ['while it stores a page', 'staged_records', 'insert'],
      ['after the commit', 'sync_checkpoints', 'delete'],
      // Last: while this one waits it cannot renew its lease.
      ['while it reconciles', 'platform_records', 'insert'],
    ] as const) {
      const caller = await survivor.openSession();
      const held = await holdWrites(databaseUrl, caller.customerId, table, write);
      const customer = { ...caller, answer: undefined as unknown };
      cut.set(where, customer);
      const answer = api(victim.url, caller.key)
        .post('/connect', { platform: 'platform_a' })
        .then(
          ({ status }) => status,
          () => 'cut',
        );
      answers.push(answer.then((how) => void (customer.answer = how)));
      await held.met();
      holds.push(held);
    }
    await victim.kill();
    await Promise.all(answers);
    for (const held of holds) await held.letGo();
    // Nothing takes a run over before its test.
    await stored.query(
      `update sync_runs set lease_until = now() + interval '1 hour' where status = 'running'`,
    );
  });

  it.each(['while it stores a page', 'while it reconciles'])(
    '%s leaves nothing visible, and another instance brings the run to its end',
    async (where) => {
      const { key, customerId, answer } = at(where);
      expect(answer).toBe('cut');
      const client = api(survivor.url, key);
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
    },
  );

  it('after the commit and before the answer has done its work', async () => {
    const { key, customerId, answer } = at('after the commit');
    expect(answer).toBe('cut');
    expect(await endedRuns(customerId)).toContain('done');
    expect(await stored.of(customerId)).toHaveLength(38);
    const before = (await api(survivor.url, key).get('/connections')).body.data;
    expect(await connect(api(survivor.url, key), 'platform_a')).toMatchObject({ payments: 8 });
    const after = (await api(survivor.url, key).get('/connections')).body.data;
    expect(withoutRuns(after)).toEqual(withoutRuns(before));
    for (let looks = 0; looks < 1_000 && (await leftOf(customerId)) > 0; looks += 1) await sleep(20);
    expect(await leftOf(customerId)).toBe(0);
  });
});
