import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { commandsOn, keptCommandsOn } from './run-command';

describe('demo purge', () => {
  let service: RunningApp;
  beforeAll(async () => {
    // The service itself removes none, so that what is gone was removed by the command.
    service = await startApp({ demoSessionTtlMs: 0 });
  });
  // Each test has none but its own.
  beforeEach(async () => {
    await service.app.get(DataSource, { strict: false }).query(`delete from customers where kind = 'demo'`);
  });
  const byDefault = keptCommandsOn(() => service.databaseUrl);
  const never = keptCommandsOn(() => service.databaseUrl, { DEMO_SESSION_TTL: '0' });
  const days = commandsOn(() => service.databaseUrl, { DEMO_SESSION_TTL: '3d' });
  afterAll(() => service.close());

  /** A session that was opened so long ago. */
  async function aSession(age: string): Promise<Caller> {
    const session = await service.openSession();
    await service.app
      .get(DataSource, { strict: false })
      .query('update customers set created_at = now() - $2::interval where id = $1', [
        session.customerId,
        age,
      ]);
    return session;
  }
  const lives = async ({ key }: Caller): Promise<boolean> =>
    (await api(service.url, key).get('/connections')).status === 200;

  it('removes the sessions older than a week, and no other customers', async () => {
    const old = [await aSession('8 days'), await aSession('1 year')];
    const young = [await aSession('6 days'), await aSession('0 s')];
    const { key: standard } = await service.issueKey('live');
    expect(await byDefault.json('demo', 'purge')).toEqual({ removed: 2 });
    expect(await Promise.all(old.map(lives))).toEqual([false, false]);
    expect(await Promise.all(young.map(lives))).toEqual([true, true]);
    expect((await api(service.url, standard).get('/connections')).status).toBe(200);
    expect(await byDefault.json('demo', 'purge')).toEqual({ removed: 0 });
  });

  it('says how many are gone although another one cannot be removed, and why that one stays', async () => {
    const [gone, stays] = [await aSession('9 days'), await aSession('8 days')];
    const database = service.app.get(DataSource, { strict: false });
    await database.query(`create function refuse() returns trigger language plpgsql as
      $$ begin if old.id = '${stays.customerId}' then raise exception 'this customer stays'; end if; return old; end $$`);
    await database.query(
      'create trigger refuse before delete on customers for each row execute function refuse()',
    );
    const purged = await byDefault.cli('demo', 'purge');
    await database.query('drop trigger refuse on customers');
    expect(purged).toEqual({
      code: 1,
      out: 'Removed 1 demo session\n',
      err: 'The command failed: Demo customers could not be removed: this customer stays\n',
    });
    expect([await lives(gone), await lives(stays)]).toEqual([false, true]);
  });

  it('uses DEMO_SESSION_TTL', async () => {
    await aSession('4 days');
    await aSession('2 days');
    expect(await days.cli('demo', 'purge')).toEqual({ code: 0, out: 'Removed 1 demo session\n', err: '' });
  });

  it('uses --older-than instead, if it is given', async () => {
    const session = await aSession('30 minutes');
    expect(await never.cli('demo', 'purge', '--older-than', '31m')).toEqual({
      code: 0,
      out: 'Removed 0 demo sessions\n',
      err: '',
    });
    expect(await lives(session)).toBe(true);
    expect(await never.json('demo', 'purge', '--older-than', '29m')).toEqual({ removed: 1 });
    // The service was asked for the key just before, and may remember it for a second.
    while (await lives(session)) await sleep(50);
  });

  it('removes none where they never expire, and says so', async () => {
    const session = await aSession('10 years');
    expect(await never.cli('demo', 'purge')).toEqual({
      code: 0,
      out: 'Removed 0 demo sessions\n',
      err: 'Demo sessions never expire, as DEMO_SESSION_TTL is 0; --older-than removes them by age\n',
    });
    expect(await never.json('demo', 'purge')).toEqual({ removed: 0 });
    expect(await lives(session)).toBe(true);
  });

  it.each(['0', '7', 'week', '-1d'])('refuses --older-than %s', async (age) => {
    const session = await aSession('10 years');
    expect(await byDefault.cli('demo', 'purge', '--older-than', age)).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('--older-than'),
    });
    expect(await lives(session)).toBe(true);
  });
});
