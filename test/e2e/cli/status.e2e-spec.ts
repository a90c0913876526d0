import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { AttentionWatch } from '../../../src/attention/attention-watch';
import { attentionKinds, type AttentionKind } from '../../../src/attention/attention';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { keptCommandsOn } from './run-command';

describe('what waits for a person', () => {
  let service: RunningApp;
  let database: Client;
  beforeAll(async () => {
    // Nothing reads the made-up connections.
    service = await startApp({ syncIntervalMs: 0 });
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  // Each test has no customers but its own.
  beforeEach(() =>
    database.query('delete from webhook_subscriptions; delete from webhook_schedules; delete from customers'),
  );
  const { cli, json, aCustomer } = keptCommandsOn(() => service.databaseUrl, {
    PUBLIC_URL: 'https://api.example.com',
  });
  const without = keptCommandsOn(() => service.databaseUrl);
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  const ago = (interval: string) => `now() - interval '${interval}'`;

  /** A customer with a live connection that is read as it should be. */
  async function connected(name: string): Promise<string> {
    const id = await aCustomer(name);
    const of = [id, 'platform_a'];
    await database.query(
      `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
       values ($1, $2, '{}', '', '', 'first')`,
      of,
    );
    await database.query(
      `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency)
       values ($1, $2, 'live', ${ago('9 days')}, ${ago('2 minutes')}, 7, 'USD')`,
      of,
    );
    await database.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at) values ($1, $2, now() + interval '3 minutes')`,
      of,
    );
    await run(id, { status: 'done', started: '2 minutes', report: { whole: true, deletionsHeld: 0 } });
    return id;
  }

  const run = (
    id: string,
    {
      status,
      started,
      report = null,
      error = null,
    }: { status: string; started: string; report?: object | null; error?: object | null },
  ) =>
    database.query(
      `insert into sync_runs (customer_id, id, platform, mode, status, started_at, ended_at, lease_owner, lease_until, report, error)
       values ($1, $2, 'platform_a', 'live', $3, ${ago(started)}, case when $3 = 'running' then null else ${ago(started)} end,
         $2, now() + interval '1 hour', $4, $5)`,
      [id, randomUUID(), status, JSON.stringify(report), error === null ? null : JSON.stringify(error)],
    );

  const write = (id: string, status: string, accepted: string) =>
    database.query(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
         status, changes, referred, predicted, recording, created_at, decided_at)
       values ($1, $2, $2, 0, 'platform_a', 'live', 'payment', 'pay_0000000000000000', $3, '{}', '[]', '{}', '{}',
         ${ago(accepted)}, case when $3 = 'held' then ${ago(accepted)} end)`,
      [id, randomUUID(), status],
    );

  const endpoint = (
    id: string,
    { failing, disabled = null }: { failing: string | null; disabled?: string | null },
  ) =>
    database.query(
      `insert into webhook_endpoints (customer_id, id, url, types, enabled, disabled_reason, failing_since, created_at, starts_at, worked_at)
       values ($1, $2, 'https://example.com/hooks', '{}', $3, $4, now() - $5::interval, now(), now(), now())`,
      [id, randomUUID(), disabled === null, disabled, failing],
    );

  const failing = async (id: string, message: string) => {
    await database.query(
      `update sync_schedules set failures = 3, sync_due_at = now() + interval '1 hour' where customer_id = $1`,
      [id],
    );
    await run(id, {
      status: 'failed',
      started: '1 minute',
      error: { type: 'EXTERNAL_SERVICE_ERROR', message },
    });
  };

  const counts = async (): Promise<Partial<Record<AttentionKind, number>>> => {
    const { waiting } = await json('status');
    expect(waiting.map(({ kind }: { kind: string }) => kind)).toEqual([...attentionKinds]);
    return Object.fromEntries(
      waiting
        .filter(({ count }: { count: number }) => count > 0)
        .map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    );
  };

  it('is empty if nothing needs attention', async () => {
    await connected('Well');
    const session = await service.openSession();
    await api(service.url, session.key).post('/connect', { platform: 'platform_a' });
    expect(await counts()).toEqual({});
    expect((await cli('status')).out).toBe('Nothing waits for a person\n');
  });

  it('is one page, with number, age and a command for each kind', async () => {
    const held = await connected('Held');
    await write(held, 'held', '2 days');
    await write(held, 'held', '1 hour');
    await write(held, 'waiting', '1 hour');
    await write(held, 'waiting', '1 minute');
    const gone = await connected('Gone');
    await run(gone, { status: 'done', started: '1 minute', report: { whole: true, deletionsHeld: 40 } });
    await run(gone, { status: 'done', started: '30 seconds', report: { whole: false, deletionsHeld: 0 } });
    const refused = await connected('Refused');
    await failing(refused, 'platform_a refused the credentials (401)');
    await failing(await connected('Failing'), 'platform_a answered 503');
    const late = await connected('Late');
    await database.query(
      `update sync_schedules set sync_due_at = ${ago('20 minutes')} where customer_id = $1`,
      [late],
    );
    const unending = await connected('Unending');
    await run(unending, { status: 'running', started: '7 hours' });
    const behind = await aCustomer('Behind');
    await database.query(
      `insert into due_comparisons (customer_id, id, since, due_at) values ($1, $2, ${ago('1 hour')}, now() + interval '1 day')`,
      [behind, randomUUID()],
    );
    await database.query(
      `insert into webhook_subscriptions (customer_id, platform, address_hash, topic, secret_hash)
       values ($1, 'platform_a', 'x', 'payments', 'x')`,
      [late],
    );

    const hooks = await aCustomer('Hooks');
    await endpoint(hooks, { failing: '2 hours' });
    await endpoint(hooks, { failing: null });
    await endpoint(hooks, { failing: '6 days', disabled: 'No delivery has succeeded for five days' });

    const { waiting } = await json('status');
    const summary = waiting.map(({ items, oldest, ...row }: { items: object[]; oldest: string | null }) => ({
      ...row,
      items: items.length,
      known: oldest !== null,
    }));
    const row = (kind: AttentionKind, count: number, customers: number, command: string, known = true) => ({
      kind,
      count,
      customers,
      command,
      items: count,
      known,
    });
    expect(summary).toEqual([
      row('held_writes', 2, 1, 'outbox list --state held'),
      row('held_deletions', 1, 1, 'connections list'),
      row('refused_credentials', 1, 1, `connections test --customer ${refused} --platform platform_a`),
      row('failing_connections', 2, 2, 'connections list'),
      row('late_connections', 1, 1, 'connections list'),
      row('unending_runs', 1, 1, `connections list --customer ${unending} --json`),
      row('late_writes', 1, 1, 'outbox list --older-than 30m'),
      row('comparisons_behind', 1, 1, `reconciliation list --customer ${behind}`),
      row('unconfirmed_webhooks', 1, 1, `connections show --customer ${late} --platform platform_a`, false),
      row('disabled_webhook_endpoints', 1, 1, `endpoints list --customer ${hooks}`),
      row('failing_webhook_endpoints', 1, 1, `endpoints list --customer ${hooks}`),
    ]);
    const shown = await json('connections', 'show', '--customer', late, '--platform', 'platform_a');
    expect(shown.webhooks).toMatchObject({ confirmed: 0, unconfirmed: 1 });
    const { endpoints } = await json('endpoints', 'list', '--customer', hooks);
    expect(endpoints.map((one: { disabled_reason: string | null }) => one.disabled_reason)).toEqual(
      expect.arrayContaining([null, null, 'No delivery has succeeded for five days']),
    );
    const listed = await cli('endpoints', 'list', '--customer', hooks);
    expect(listed.out).toMatch(/^id +url +types +enabled +failing_since +waiting +disabled_reason\n/);
    expect(waiting[0].items[0]).toEqual({
      customer_id: held,
      platform: 'platform_a',
      since: expect.stringMatching(/Z$/),
    });
    const { out } = await cli('status');
    expect(out.split('\n')).toHaveLength(attentionKinds.length + 2);
    expect(out).toMatch(
      /^kind +count +customers +oldest +command\nheld_writes +2 +1 +\S+Z +outbox list --state held\n/,
    );
  });

  it('is nothing of webhooks that the service does not keep, as it has no PUBLIC_URL', async () => {
    const id = await connected('Without');
    await database.query(
      `insert into webhook_subscriptions (customer_id, platform, address_hash, topic, secret_hash)
       values ($1, 'platform_a', 'y', 'payments', 'x')`,
      [id],
    );
    await database.query(
      `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at, failures)
       values ($1, 'platform_a', now(), now(), 3)`,
      [id],
    );
    expect(await counts()).toEqual({ unconfirmed_webhooks: 1 });
    const { waiting } = await without.json('status');
    expect(waiting.filter(({ count }: { count: number }) => count > 0)).toEqual([]);
  });

  it('is no connection that pauses after a long reading, although its platform has asked for another one', async () => {
    const id = await connected('Pausing');
    const pausesUntil = (time: string) =>
      database.query(
        `update sync_schedules set sync_due_at = ${ago('50 minutes')}, requested_at = ${ago('50 minutes')},
           not_before = ${time} where customer_id = $1`,
        [id],
      );
    await pausesUntil(`now() + interval '20 minutes'`);
    expect(await counts()).toEqual({});
    await pausesUntil(ago('20 minutes'));
    expect(await counts()).toEqual({ late_connections: 1 });
    const { waiting } = await json('status');
    const late = waiting.find(({ kind }: { kind: AttentionKind }) => kind === 'late_connections');
    const { connections } = await json('connections', 'list');
    const watched = connections.find((one: { customer_id: string }) => one.customer_id === id);
    expect(Date.now() - Date.parse(late.oldest)).toBeLessThan((watched.late_seconds + 60) * 1_000);
  });

  it('ends once a full run no longer holds deletions, or a run succeeds', async () => {
    const id = await connected('Recovers');
    await run(id, { status: 'done', started: '1 minute', report: { whole: true, deletionsHeld: 40 } });
    await failing(id, 'platform_a answered 503');
    expect(await counts()).toEqual({ held_deletions: 1, failing_connections: 1 });
    await run(id, { status: 'done', started: '10 seconds', report: { whole: true, deletionsHeld: 0 } });
    await database.query('update sync_schedules set failures = 0 where customer_id = $1', [id]);
    expect(await counts()).toEqual({});
  });

  it('shows as metrics, which a scrape reads from memory', async () => {
    const { registry } = service.app.get(Metrics, { strict: false });
    const samples = async () => {
      const text = await registry.getSingleMetricAsString('translation_attention_items');
      return text.split('\n').filter((line) => line.startsWith('translation_'));
    };
    const watch = service.app.get(AttentionWatch, { strict: false });
    await write(await connected('Held'), 'held', '1 hour');
    await watch.refresh();
    expect(await samples()).toEqual(
      attentionKinds.map(
        (kind) => `translation_attention_items{kind="${kind}"} ${kind === 'held_writes' ? 1 : 0}`,
      ),
    );
    await database.query('alter table outbox_commands rename to elsewhere');
    expect(await samples()).toHaveLength(attentionKinds.length);
    await expect(watch.refresh()).rejects.toThrow();
    expect(await samples()).toEqual([]);
    await database.query('alter table elsewhere rename to outbox_commands');
  });

  it('is read by indexes without entries for healthy connections', async () => {
    const { rows } = await database.query<{ indexname: string }>(
      `select indexname from pg_indexes where indexname = any($1)`,
      [
        [
          'ix_outbox_commands_held',
          'ix_outbox_commands_open',
          'ix_sync_runs_deletions_held',
          'ix_sync_schedules_failing',
          'ix_sync_schedules_due',
          'ix_webhook_subscriptions_unconfirmed',
          'ix_webhook_schedules_failing',
          'ix_webhook_endpoints_failing',
          'uq_sync_runs_running',
        ],
      ],
    );
    expect(rows).toHaveLength(9);
  });

  it('stands first among the connections of all customers, with what is held, failing and late', async () => {
    const well = await connected('Well');
    const sandboxed = await service.issueKey('live');
    await api(service.url, sandboxed.key).post('/connect', { platform: 'platform_b' });
    await service.openSession();
    const troubled = await connected('Troubled');
    await write(troubled, 'held', '1 hour');
    await run(troubled, { status: 'done', started: '1 minute', report: { whole: true, deletionsHeld: 40 } });
    await failing(troubled, 'platform_a answered 503');
    await database.query(`update sync_schedules set sync_due_at = ${ago('1 hour')} where customer_id = $1`, [
      troubled,
    ]);
    const { connections } = await json('connections', 'list');
    expect(connections).toEqual([
      expect.objectContaining({
        customer_id: troubled,
        name: 'Troubled',
        platform: 'platform_a',
        mode: 'live',
        status: 'failing',
        failures: 3,
        held_writes: 1,
        held_deletions: 40,
        last_error: { type: 'EXTERNAL_SERVICE_ERROR', message: 'platform_a answered 503' },
      }),
      expect.objectContaining({
        customer_id: well,
        status: 'active',
        failures: 0,
        late_seconds: 0,
        held_writes: 0,
        held_deletions: 0,
      }),
      expect.objectContaining({
        customer_id: sandboxed.customerId,
        mode: 'sandbox',
        failures: 0,
        late_seconds: null,
        held_writes: 0,
        held_deletions: 0,
      }),
    ]);
    expect(connections[0].late_seconds).toBeGreaterThanOrEqual(3_600);
    const { out } = await cli('connections', 'list');
    expect(out).toMatch(/^customer_id +name +platform +mode +status .* last_error\n/);
    expect(out.split('\n')).toHaveLength(5);
  });
});
