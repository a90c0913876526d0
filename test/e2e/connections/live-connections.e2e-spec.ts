import { Client } from 'pg';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { ComparisonWorker } from '../../../src/reconciliation/freshness/comparison-worker';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { startApp, type RunningApp } from '../../support/app/app';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { GivenRecords } from '../../support/platforms/given-records';
import { until } from '../../support/live/live-work';
import { platforms, portfolioOf, type Portfolio, ON_A } from '../../support/customers/portfolio';
import { untilPutOff } from '../../support/live/put-off';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const HOUR = 3_600_000;
const key = masterKey('first');
const credentials = JSON.stringify({
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  company_id: 1,
  client_id: 'client',
  client_secret: 'hunter2',
});

describe('connections', () => {
  const given = new GivenRecords();
  let service: RunningApp;
  let database: Client;
  let portfolio: Portfolio;
  let far: FarPlatform;
  const { cli, json, piped } = keptCommandsOn(() => service.databaseUrl, {
    CREDENTIALS_KEYS: keysSetting(key),
  });
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [key] }, [], given);
    service.app.get(PropagateWait, { strict: false }).milliseconds = 50;
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  const args = () => ['--customer', portfolio.customerId, '--platform', 'platform_a'];
  const goLive = async () => expect((await piped(credentials, 'connections', 'set', ...args())).code).toBe(0);
  const modeOfA = async () => {
    const [row] = await portfolio.sql<{ mode: string }>(
      `select mode from connections where customer_id = $1 and platform = 'platform_a'`,
      [portfolio.customerId],
    );
    return row?.mode;
  };
  const countOf = async (sql: string) => {
    const [row] = await portfolio.sql<{ count: number }>(`select count(*)::int as count from ${sql}`, [
      portfolio.customerId,
    ]);
    return row?.count;
  };
  const recordsOfA = () => countOf(`platform_records where customer_id = $1 and platform = 'platform_a'`);

  /** A customer whose platform_a is live, and whose platform_b is a sandbox. */
  beforeEach(async () => {
    portfolio = portfolioOf(service.url, await service.issueKey('live'), database);
    far = new FarPlatform('platform_a', portfolioRecords('platform_a'));
    given.use(portfolio.customerId, 'platform_a', far);
    await goLive();
    for (const platform of platforms) await portfolio.connect(platform);
  });

  /** A change that waits for platform_a, and with it the one of platform_b. */
  async function waitingChange(): Promise<string> {
    far.reactions.push({ deferFor: HOUR });
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', ON_A);
    const { status, body } = await portfolio.canonical('payment', id, { notes: 'waits' });
    expect({ status, a: body.data.propagated.platform_a.status }).toEqual({ status: 200, a: 'pending' });
    await untilPutOff((sql, parameters) => portfolio.sql(sql, parameters), portfolio.customerId);
    return id;
  }
  const commands = () =>
    portfolio.sql<{ platform: string; status: string; reason: string | null }>(
      'select platform, status, reason from outbox_commands where customer_id = $1 order by seq',
      [portfolio.customerId],
    );

  describe('set', () => {
    const scheduleOfA = async () => {
      const [row] = await portfolio.sql<{ failures: number; rests: boolean }>(
        `select failures, sync_due_at > now() or coalesce(not_before > now(), false) as rests
         from sync_schedules where customer_id = $1 and platform = 'platform_a'`,
        [portfolio.customerId],
      );
      return row;
    };

    it('ends the pause of a connection that fails, which is read again', async () => {
      await portfolio.sql(
        `update sync_schedules set failures = 4, sync_due_at = now() + interval '1 hour', not_before = now() + interval '1 hour'
         where customer_id = $1`,
        [portfolio.customerId],
      );
      await goLive();
      const schedule = service.app.get(SyncSchedule, { strict: false });
      await schedule.poll(new AbortController().signal);
      await schedule.idle();
      expect(await scheduleOfA()).toEqual({ failures: 0, rests: true });
    });

    it('ends the pause after a run that fails at the same time', async () => {
      const failing = new Client({ connectionString: service.databaseUrl });
      await failing.connect();
      await failing.query('begin');
      await failing.query(
        `update sync_schedules set failures = 1, sync_due_at = now() + interval '1 hour', not_before = now() + interval '1 hour'
         where customer_id = $1`,
        [portfolio.customerId],
      );
      let isSet = false;
      const setting = goLive().finally(() => (isSet = true));
      const waiting = `select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))`;
      const { rows } = await failing.query<{ pid: number }>('select pg_backend_pid() as pid');
      await until('set waits or is done', async () => {
        const blocked = await database.query(waiting, [rows[0]?.pid]);
        return isSet || blocked.rows.length > 0;
      });
      await failing.query('commit');
      await failing.end();
      await setting;
      const schedule = service.app.get(SyncSchedule, { strict: false });
      await schedule.poll(new AbortController().signal);
      await schedule.idle();
      expect(await scheduleOfA()).toEqual({ failures: 0, rests: true });
    });

    it('leaves the schedule of one that does not fail', async () => {
      await goLive();
      expect(await scheduleOfA()).toEqual({ failures: 0, rests: true });
    });
  });

  describe('remove', () => {
    it('ends it, and the records stay until the next connect', async () => {
      expect(await modeOfA()).toBe('live');
      const before = await recordsOfA();
      expect(before).toBeGreaterThan(0);
      expect(await json('connections', 'remove', ...args())).toEqual({
        customer_id: portfolio.customerId,
        platform: 'platform_a',
        records_removed: 0,
        changes_cancelled: 0,
        webhooks_removed: 0,
      });
      expect(await countOf('live_connections where customer_id = $1')).toBe(0);
      expect({ mode: await modeOfA(), records: await recordsOfA() }).toEqual({
        mode: 'live',
        records: before,
      });
      expect((await portfolio.list('platform_a', 'payment')).length).toBeGreaterThan(0);
      await portfolio.connect('platform_a');
      expect(await modeOfA()).toBe('sandbox');
    });

    it('says what it did', async () => {
      expect((await cli('connections', 'remove', ...args())).out).toBe(
        'Removed the live connection to platform_a; its records stay until the next connect\n',
      );
      expect((await cli('connections', 'remove', ...args(), '--purge')).out).toMatch(
        /^Removed the live connection to platform_a, \d+ records and 0 waiting changes\n$/,
      );
    });

    it('requires a live connection', async () => {
      await json('connections', 'remove', ...args());
      expect(await cli('connections', 'remove', ...args())).toEqual({
        code: 1,
        out: '',
        err: `Customer ${portfolio.customerId} has no live connection to platform_a\n`,
      });
      // What a sandbox has brought is not purged.
      expect(
        (
          await cli(
            'connections',
            'remove',
            '--customer',
            portfolio.customerId,
            '--platform',
            'platform_b',
            '--purge',
          )
        ).code,
      ).toBe(1);
      expect((await portfolio.list('platform_b', 'payment')).length).toBeGreaterThan(0);
    });

    describe('--purge', () => {
      it('removes its records, and objects without other records', async () => {
        const onB = await portfolio.list('platform_b', 'payment');
        const shared = onB.filter(({ mappings }) => mappings.length === 2);
        expect(shared.length).toBeGreaterThan(0);
        const before = await recordsOfA();
        expect(await json('connections', 'remove', ...args(), '--purge')).toMatchObject({
          records_removed: before,
          changes_cancelled: 0,
        });
        expect({ mode: await modeOfA(), records: await recordsOfA() }).toEqual({
          mode: undefined,
          records: 0,
        });
        const after = await portfolio.list('platform_b', 'payment');
        expect(after.map(({ id, canonical_id: canonical }) => [id, canonical])).toEqual(
          onB.map(({ id, canonical_id: canonical }) => [id, canonical]),
        );
        expect(after.every(({ mappings }) => mappings.length === 1)).toBe(true);
        const orphans = `canonical_objects o where customer_id = $1
        and not exists (select from platform_records r where r.customer_id = $1 and r.canonical_id = o.id)`;
        expect(await countOf(orphans)).toBe(0);
        for (const column of ['project', 'customer', 'contract', 'invoice']) {
          const dangling = `platform_records r where customer_id = $1 and ${column}_canonical_id is not null and not exists (
          select from canonical_objects o where o.customer_id = $1 and o.id = r.${column}_canonical_id)`;
          expect({ column, count: await countOf(dangling) }).toEqual({ column, count: 0 });
        }
        const { connections } = (await portfolio.client.get('/connections')).body.data;
        expect(connections.map(({ platform }: { platform: string }) => platform)).toEqual(['platform_b']);
      });

      it('makes the comparisons follow, without a change or a statement', async () => {
        Object.assign(service.app.get(StatementTimes, { strict: false }), { quiet: 0 });
        const worker = service.app.get(ComparisonWorker, { strict: false });
        const compare = async () => {
          await worker.poll(new AbortController().signal);
          await worker.idle();
        };
        const onBoth = () => countOf(`comparisons where customer_id = $1 and state in ('agree', 'disagree')`);
        await until('the first comparisons', async () => {
          await compare();
          return (await countOf('due_comparisons where customer_id = $1')) === 0;
        });
        expect(await onBoth()).toBeGreaterThan(0);
        await json('connections', 'remove', ...args(), '--purge');
        await until('comparisons of what is left', async () => {
          await compare();
          return (await countOf('due_comparisons where customer_id = $1')) === 0;
        });
        expect(await onBoth()).toBe(0);
      });

      it('lets the platform be connected again, and finds the same objects', async () => {
        const before = await portfolio.list('platform_a', 'payment');
        await json('connections', 'remove', ...args(), '--purge');
        await portfolio.connect('platform_a');
        expect(await modeOfA()).toBe('sandbox');
        const after = await portfolio.list('platform_a', 'payment');
        expect(after.map(({ canonical_id: id }) => id).sort()).toEqual(
          before.map(({ canonical_id: id }) => id).sort(),
        );
      });

      it('also works after the removal', async () => {
        await json('connections', 'remove', ...args());
        const before = await recordsOfA();
        expect(await json('connections', 'remove', ...args(), '--purge')).toMatchObject({
          records_removed: before,
        });
        expect((await cli('connections', 'remove', ...args(), '--purge')).code).toBe(1);
      });

      it('leaves records of the sandbox from before the first live reading', async () => {
        await json('connections', 'remove', ...args(), '--purge');
        await portfolio.connect('platform_a');
        await goLive();
        expect(await json('connections', 'remove', ...args(), '--purge')).toMatchObject({
          records_removed: 0,
        });
        expect(await modeOfA()).toBe('sandbox');
        expect((await portfolio.list('platform_a', 'payment')).length).toBeGreaterThan(0);
      });
    });

    describe('while a change waits for the platform', () => {
      it('is refused, and changes nothing', async () => {
        await waitingChange();
        const before = await portfolio.stored();
        expect(await cli('connections', 'remove', ...args())).toEqual({
          code: 1,
          out: '',
          err: 'One change waits for platform_a; wait until it is decided, or cancel it with --purge\n',
        });
        expect(await portfolio.stored()).toEqual(before);
        expect(await countOf('live_connections where customer_id = $1')).toBe(1);
      });

      it('--purge skips it, and the change of the other platform with it', async () => {
        await waitingChange();
        expect(await json('connections', 'remove', ...args(), '--purge')).toMatchObject({
          changes_cancelled: 1,
        });
        expect(await commands()).toEqual([
          {
            platform: 'platform_a',
            status: 'skipped',
            reason: 'the live connection to platform_a was removed',
          },
          { platform: 'platform_b', status: 'skipped', reason: expect.stringContaining('platform_a') },
        ]);
        const [account] = await portfolio.accounts();
        expect(account).toMatchObject({
          updated_fields: [],
          outcome: { platform_a: { status: 'skipped' }, platform_b: { status: 'skipped' } },
        });
        expect(far.effects).toEqual([]);
        expect(await countOf('platform_records where customer_id = $1 and accepted is not null')).toBe(0);
        expect(await countOf('propagations where customer_id = $1 and decided_at is null')).toBe(0);
      });

      it.each([
        ['a change', `status = 'uncertain'`],
        ['a creation that waits to be sent again', `platform_id = null, base = null, given_up_at = now()`],
      ])('--purge holds %s that the platform may have taken', async (_what, state) => {
        await waitingChange();
        await portfolio.sql(
          `update outbox_commands set ${state} where customer_id = $1 and platform = 'platform_a'`,
          [portfolio.customerId],
        );
        expect(await json('connections', 'remove', ...args(), '--purge')).toMatchObject({
          changes_cancelled: 1,
        });
        expect((await commands())[0]).toEqual({
          platform: 'platform_a',
          status: 'held',
          reason: 'the live connection to platform_a was removed before it said whether it took the change',
        });
      });
    });

    it('ends a run in progress, which publishes nothing', async () => {
      const records = portfolioRecords('platform_a');
      const { reading, release } = given.giveHeld(portfolio.customerId, 'platform_a', records);
      const connecting = portfolio.client.post('/connect', { platform: 'platform_a' });
      await reading;
      await json('connections', 'remove', ...args(), '--purge');
      release();
      const { status, body } = await connecting;
      expect({ status, message: body.error.message }).toEqual({
        status: 409,
        message: 'The live connection to platform_a was removed',
      });
      expect({ mode: await modeOfA(), records: await recordsOfA() }).toEqual({ mode: undefined, records: 0 });
      expect(await countOf('staged_records where customer_id = $1')).toBe(0);
      expect(await countOf('sync_checkpoints where customer_id = $1')).toBe(0);
    });
  });
});
