import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ApiError } from '../../../src/common/errors/api-error';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError, isReplay } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { untilCallersWait } from '../../support/app/run-callers';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const body = { platform: 'platform_a' };
const project = (id: number) => record('project', { id, project_number: `P-${id}` });

describe('POST /connect with an Idempotency-Key', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let other: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    other = await startApp({ databaseUrl: service.databaseUrl });
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterEach(() => {
    for (const instance of [service, other]) waitOf(instance, new SyncTimes().wait);
  });
  afterAll(async () => {
    await stored.close();
    await other.close();
    await service.close();
  });

  const runs = async (customerId: string) =>
    (await stored.query('select 1 from sync_runs where customer_id = $1', [customerId])).length;

  function waitOf({ app }: RunningApp, milliseconds: number): void {
    app.get(SyncTimes, { strict: false }).wait = milliseconds;
  }

  /** A platform that gives nothing before it is let, with the calls of a customer on both instances. */
  async function slowPlatform() {
    const { key, customerId } = await service.openSession();
    const [arrived, goOn] = [latch(), latch()];
    sources.give(customerId, 'platform_a', async function* () {
      arrived.open();
      await goOn.opened;
      yield* [project(1), project(2)];
    });
    const post = (name: string, { url } = service) =>
      api(url, key).post('/connect', body, { 'Idempotency-Key': name });
    return { key, customerId, arrived: arrived.opened, goOn: goOn.open, post };
  }

  it('reads once, and gives the same answer again, on any instance', async () => {
    const { customerId, goOn, post } = await slowPlatform();
    goOn();
    const first = await post('c-1');
    expect([first.status, first.body.data.entities.projects, isReplay(first)]).toEqual([200, 2, false]);
    sources.give(customerId, 'platform_a', [project(1), project(2), project(3)]);
    for (const instance of [service, other]) {
      const again = await post('c-1', instance);
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    }
    expect(await runs(customerId)).toBe(1);
    expect((await post('c-2')).body.data.entities.projects).toBe(3);
    expect(await runs(customerId)).toBe(2);
  });

  it('answers 409 while the first one runs; another key joins its run', async () => {
    const { customerId, arrived, goOn, post } = await slowPlatform();
    const first = post('c-1');
    await arrived;
    for (const instance of [service, other]) {
      expectError(await post('c-1', instance), 409, 'CONFLICT_ERROR', /still under way/);
    }
    const joined = post('c-2');
    await untilCallersWait(service, 2);
    goOn();
    expect([(await first).status, (await joined).status]).toEqual([200, 200]);
    expect(await runs(customerId)).toBe(1);
    const replays = [await post('c-1'), await post('c-2')];
    expect(replays.map(isReplay)).toEqual([true, true]);
    expect(replays.map(({ text }) => text)).toEqual([(await first).text, (await joined).text]);
    expect(await runs(customerId)).toBe(1);
  });

  it.each(['started', 'joined'])('shows a run it has %s, and that goes on, as it is now', async (how) => {
    const { customerId, arrived, goOn, post, key } = await slowPlatform();
    waitOf(service, 200);
    const starter = how === 'joined' ? api(service.url, key).post('/connect', body) : undefined;
    if (starter !== undefined) await arrived;
    const first = await post('c-1');
    expect([first.status, first.body.data.status, isReplay(first)]).toEqual([202, 'connecting', false]);
    const waiting = await post('c-1');
    expect([waiting.status, waiting.body.data.status, isReplay(waiting)]).toEqual([202, 'connecting', true]);
    waitOf(service, new SyncTimes().wait);
    const last = post('c-1');
    await untilCallersWait(service, 1);
    goOn();
    const done = await last;
    expect([done.status, done.body.data.status, isReplay(done)]).toEqual([200, 'connected', true]);
    expect((await post('c-1', other)).text).toBe(done.text);
    await starter;
    expect(await runs(customerId)).toBe(1);
  });

  it('does not keep a failure: the same key reads again', async () => {
    const { customerId, post } = await slowPlatform();
    // oxlint-disable-next-line require-yield -- a platform that fails before its first record
    sources.give(customerId, 'platform_a', async function* () {
      await Promise.resolve();
      throw new ApiError('EXTERNAL_SERVICE_ERROR', 'platform_a does not answer');
    });
    expectError(await post('c-1'), 502, 'EXTERNAL_SERVICE_ERROR', 'platform_a does not answer');
    sources.give(customerId, 'platform_a', [project(1)]);
    const again = await post('c-1');
    expect([again.status, again.body.data.entities.projects, isReplay(again)]).toEqual([200, 1, false]);
    expect(isReplay(await post('c-1'))).toBe(true);
  });

  it('answers a failure once the key is free: who sends it again at once is not told that it is under way', async () => {
    const { customerId, post } = await slowPlatform();
    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    // oxlint-disable-next-line require-yield -- a platform that fails before its first record
    sources.give(customerId, 'platform_a', async function* () {
      await database.query('begin');
      await database.query('select from idempotency_keys where customer_id = $1 for update', [customerId]);
      throw new ApiError('EXTERNAL_SERVICE_ERROR', 'platform_a does not answer');
    });
    let isAnswered = false;
    const failed = post('c-1').finally(() => (isAnswered = true));
    const waits = `select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'update idempotency_keys set lease_until = null%'`;
    while ((await stored.query(waits)).length === 0) await sleep(10);
    await sleep(200);
    expect(isAnswered).toBe(false);
    await database.end();
    expectError(await failed, 502, 'EXTERNAL_SERVICE_ERROR', 'platform_a does not answer');
    sources.give(customerId, 'platform_a', [project(1)]);
    expect((await post('c-1')).status).toBe(200);
  });
});
