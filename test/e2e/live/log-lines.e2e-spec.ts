import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPlatformB, type RunningPlatformA, type RunningPlatformB } from '@app/simulators';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Connectors } from '../../../src/platforms/connectors';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { ComparisonWorker } from '../../../src/reconciliation/freshness/comparison-worker';
import { ComparisonRefresher } from '../../../src/reconciliation/freshness/refresher';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import type { Caller } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { startLiveService, startUnlimited, type LiveService } from '../../support/live/live-platform-a';
import type { JsonObject } from '@app/mapper';
import { settingsOf, textOf } from '../../support/live/live-platform-b';
import { platforms, portfolioOf, type Portfolio } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const REQUEST_ID = 'req_1234567890abcdef';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const traced = { 'x-request-id': REQUEST_ID, traceparent: `00-${TRACE}-b7ad6b7169203331-01` };

const bodies = {
  platform_a: { errors: { base: ['Not this time'] } },
  platform_b: { error: { code: 'BadRequest', message: 'Not this time' } },
} as const;

/** Parts of the service that work for customers in the background. */
const parts = ['Sync', 'Connections', 'Platform', 'Outbox', 'Propagate', 'Webhooks', 'Statement'];

describe('lines of the log about work for a customer', () => {
  let service: LiveService;
  let database: Client;
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  let caller: Caller;
  let customer: Portfolio;
  beforeAll(async () => {
    service = await startLiveService({ logLevel: 'debug' });
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    a = await startUnlimited();
    b = await startPlatformB();
    caller = await service.openLive(a);
    const credentials = service.app.get(CredentialsService, { strict: false });
    const { settings, secret } = settingsOf(b);
    await credentials.set(caller.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    customer = portfolioOf(service.url, caller, database);
    for (const platform of platforms) await customer.connect(platform);
  });
  afterAll(async () => {
    await a.close();
    await b.close();
    await database.end();
    await service.close();
  });

  const controlOf = (platform: 'platform_a' | 'platform_b') => (platform === 'platform_a' ? a : b).control;
  const since = async (work: () => Promise<void>): Promise<readonly Record<string, unknown>[]> => {
    const before = service.log.length;
    await work();
    return service.log.slice(before).filter(({ context }) => parts.includes(String(context)));
  };
  const readBySchedule = async (platform: string): Promise<void> => {
    await database.query(
      `update sync_schedules set sync_due_at = now() - interval '1 second', requested_at = now(), not_before = null where platform = $1`,
      [platform],
    );
    const schedule = service.app.get(SyncSchedule, { strict: false });
    await schedule.poll(new AbortController().signal);
    await schedule.idle();
  };
  const write = async (platform: 'platform_a' | 'platform_b', headers = {}): Promise<void> => {
    const [entity_type, platform_id, data] =
      platform === 'platform_a'
        ? ['payment', '1823391', { notes: `Note ${performance.now()}` }]
        : [
            'customer',
            textOf(b.control.records('customers')[0], 'id'),
            { website: `https://x${performance.now()}.example` },
          ];
    const answer = await fetch(`${service.url}/api/v1/propagate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ format: 'platform', platform, platform_id, entity_type, data }),
    });
    const body = (await answer.json()) as { data: { propagation_id: string } };
    expect([answer.status, body]).toEqual([200, expect.anything()]);
    for (;;) {
      service.app.get(Dispatcher, { strict: false }).wake();
      const { body: later } = await customer.client.get(`/propagations/${body.data.propagation_id}`);
      const outcomes = Object.values<{ status: string }>(later.data.propagated);
      if (outcomes.every(({ status }) => !['pending', 'uncertain'].includes(status))) return;
      await sleep(10);
    }
  };

  it('say that a sandbox has rejected a write, and not in which words', async () => {
    const session = await service.openSession();
    const sandbox = portfolioOf(service.url, session, database);
    for (const platform of platforms) await sandbox.connect(platform);
    await sandbox.setRules('warn', 'locked_on_platform');
    await sandbox.native('platform_a', 'payment', '1823456', { origin_id: 'ERP-1' });
    const write = { format: 'platform', platform: 'platform_b', entity_type: 'payment' };
    const platform_id = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';
    const headers = {
      authorization: `Bearer ${session.key}`,
      'content-type': 'application/json',
      ...traced,
    };
    const send = async (more: object): Promise<JsonObject> => {
      const body = JSON.stringify({ ...write, platform_id, data: { comment: 'Mine' }, ...more });
      const answer = await fetch(`${service.url}/api/v1/propagate`, { method: 'POST', headers, body });
      return (await answer.json()) as JsonObject;
    };
    expect(
      await since(async () => {
        expect(await send({ dry_run: true })).toMatchObject({
          data: { propagated: { platform_a: { status: 'rejected' } } },
        });
      }),
    ).toEqual([]);
    const lines = await since(async () => {
      expect(await send({})).toMatchObject({ data: { propagated: { platform_a: { status: 'rejected' } } } });
    });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'write decided',
        customer_id: session.customerId,
        platform: 'platform_a',
        request_id: REQUEST_ID,
        trace_id: TRACE,
        entity_type: 'payment',
        propagation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        outcome: 'rejected',
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('synced');
  });

  describe('of the comparisons behind a statement', () => {
    const failure = {
      level: 'warn',
      msg: 'Comparisons could not be refreshed',
      err: expect.objectContaining({ message: 'Ours' }),
    };
    const refresher = () => service.app.get(ComparisonRefresher, { strict: false });
    beforeAll(() => endBackgroundTasks(service.app));

    it('name the customer whose refresh in the background fails', async () => {
      const worker = service.app.get(ComparisonWorker, { strict: false });
      await worker.idle();
      await database.query(
        `insert into due_comparisons (customer_id, id, since, due_at, taken)
         values ($1, gen_random_uuid(), now(), now() - interval '1 second', true)`,
        [caller.customerId],
      );
      await database.query('update due_comparisons set taken = true, due_at = now() where customer_id = $1', [
        caller.customerId,
      ]);
      const broken = jest.spyOn(refresher(), 'refreshIfDue').mockRejectedValueOnce(new Error('Ours'));
      const lines = await since(async () => {
        await worker.poll(new AbortController().signal);
        await worker.idle();
      });
      broken.mockRestore();
      expect(lines).toEqual([expect.objectContaining({ ...failure, customer_id: caller.customerId })]);
    });

    it('name customer and request if a caller waits', async () => {
      await database.query(`update comparison_states set fingerprint = 'old' where customer_id = $1`, [
        caller.customerId,
      ]);
      const broken = jest.spyOn(refresher(), 'refresh').mockRejectedValueOnce(new Error('Ours'));
      const before = service.log.length;
      const lines = await since(async () => {
        const { status } = await customer.client.get('/reconciliation', { 'x-request-id': REQUEST_ID });
        expect(status).toBe(500);
      });
      broken.mockRestore();
      expect(lines).toEqual([expect.objectContaining({ ...failure, customer_id: caller.customerId })]);
      const errors = service.log.slice(before).filter(({ level }) => level === 'error');
      expect(errors).toContainEqual(
        expect.objectContaining({
          request_id: REQUEST_ID,
          err: expect.objectContaining({ message: 'Ours' }),
        }),
      );
    });
  });

  describe.each(['platform_a', 'platform_b'] as const)('%s', (platform) => {
    afterEach(() => controlOf(platform).faults.clear());

    it('name customer, platform and run of a reading by schedule', async () => {
      const lines = await since(() => readBySchedule(platform));
      expect(lines.map(({ msg }) => msg)).toContain('connected');
      const run = lines.find(({ msg }) => msg === 'connected')?.run_id;
      for (const line of lines) {
        expect(line).toMatchObject({ customer_id: caller.customerId, platform, run_id: run });
      }
      expect(run).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('name them when it fails, once', async () => {
      controlOf(platform).faults.add({ kind: 'status', status: 400, match: { method: 'GET' }, times: 0 });
      const lines = await since(() => readBySchedule(platform));
      const failures = lines.filter(({ err }) => err !== undefined);
      expect(failures.map(({ msg }) => msg)).toEqual(['A run failed']);
      for (const line of lines) expect(line).toMatchObject({ customer_id: caller.customerId, platform });
    });

    it('name the run that last_error names, where the fault is ours', async () => {
      const connector = service.app.get(Connectors, { strict: false }).connectorFor({
        customerId: caller.customerId,
        platform,
        mode: 'live',
      });
      const broken = jest.spyOn(connector, 'describe').mockRejectedValueOnce(new Error('Ours'));
      const lines = await since(() => readBySchedule(platform));
      broken.mockRestore();
      const failure = lines.find(({ msg }) => msg === 'A run failed');
      expect(failure).toMatchObject({ customer_id: caller.customerId, platform, err: { message: 'Ours' } });
      const { body } = await customer.client.get('/connections');
      const [connection] = body.data.connections.filter(
        (one: { platform: string }) => one.platform === platform,
      );
      expect(connection.last_error).toEqual({
        type: 'INTERNAL_ERROR',
        message: `Something went wrong on our side; the log has it under run_id ${String(failure?.run_id)}`,
      });
    });

    it('say that a write was rejected, for whom and for which request, and not in which words', async () => {
      controlOf(platform).faults.add({
        kind: 'status',
        status: 400,
        text: JSON.stringify(bodies[platform]),
        match: { method: 'PATCH' },
        times: 0,
      });
      const lines = await since(() => write(platform, traced));
      const decided = lines.filter(({ msg, outcome }) => msg === 'write decided' && outcome === 'rejected');
      expect(decided).toHaveLength(1);
      expect(decided[0]).toMatchObject({
        customer_id: caller.customerId,
        platform,
        request_id: REQUEST_ID,
        trace_id: TRACE,
        command_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect(JSON.stringify(lines)).not.toContain('Not this time');
      for (const line of lines) {
        expect(line).toMatchObject({ customer_id: caller.customerId, request_id: REQUEST_ID });
      }
    });

    it('and calls: each of a write or a connect carries the ID and the trace of its request', async () => {
      controlOf(platform).log.clear();
      await write(platform, traced);
      const answer = await fetch(`${service.url}/api/v1/connect`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...traced },
        body: JSON.stringify({ platform }),
      });
      expect(answer.status).toBe(200);
      const calls = controlOf(platform)
        .log.list()
        .filter(({ path }) => !path.includes('token'));
      expect(calls.map(({ method }) => method)).toEqual(expect.arrayContaining(['GET', 'PATCH']));
      for (const { requestId, traceparent } of calls) {
        expect([requestId, traceparent]).toEqual([REQUEST_ID, expect.stringContaining(TRACE)]);
      }
    });
  });
});
