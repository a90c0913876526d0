import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { mayPass, migrateWhenReady } from './migrate-when-ready';

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const quick = { waitLimitMs: 60_000, pause: 1 };

function failing(times: number, error: Error): { tries: number; migrate: () => Promise<string[]> } {
  const state = {
    tries: 0,
    migrate: () => {
      state.tries += 1;
      return state.tries > times ? Promise.resolve(['CreateSchema']) : Promise.reject(error);
    },
  };
  return state;
}

describe('migrateWhenReady', () => {
  it('waits for a database that does not answer yet', async () => {
    const database = failing(3, refused());
    await expect(migrateWhenReady(database.migrate, new AbortController().signal, quick)).resolves.toEqual([
      'CreateSchema',
    ]);
    expect(database.tries).toBe(4);
  });

  it('gives up at once when waiting is of no use', async () => {
    const database = failing(3, new Error('password authentication failed for user "x"'));
    await expect(migrateWhenReady(database.migrate, new AbortController().signal, quick)).rejects.toThrow(
      'password',
    );
    expect(database.tries).toBe(1);
  });

  it('gives up when its time is over', async () => {
    const database = failing(Infinity, refused());
    await expect(
      migrateWhenReady(database.migrate, new AbortController().signal, { waitLimitMs: -1, pause: 1 }),
    ).rejects.toThrow('ECONNREFUSED');
    expect(database.tries).toBe(1);
  });

  it('gives up when it is asked to stop, also while it waits', async () => {
    const stop = new AbortController();
    const database = failing(Infinity, refused());
    const migrating = migrateWhenReady(database.migrate, stop.signal, {
      waitLimitMs: 600_000,
      pause: 600_000,
    });
    await Promise.resolve();
    stop.abort();
    await expect(migrating).rejects.toThrow('ECONNREFUSED');
  });
});

describe('mayPass', () => {
  it.each([
    ['a refused connection', refused()],
    ['all addresses of a name refused', new AggregateError([refused(), refused()])],
    ['our own error', new DatabaseUnavailable('no answer')],
    [
      "no file of the database's socket",
      Object.assign(new Error('connect ENOENT'), { code: 'ENOENT', syscall: 'connect' }),
    ],
    ['an error caused by it', new Error('outer', { cause: refused() })],
    [
      'a server that is starting',
      Object.assign(new Error('starting up'), { severity: 'FATAL', code: '57P03' }),
    ],
    ['the driver out of time', new Error('timeout expired')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
  ])('holds for %s', (_what, error) => {
    expect(mayPass(error)).toBe(true);
  });

  it.each([
    ['a wrong password', Object.assign(new Error('no'), { severity: 'FATAL', code: '28P01' })],
    [
      'a certificate that is not there',
      Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT', syscall: 'open' }),
    ],
    ['a missing database', Object.assign(new Error('no'), { severity: 'FATAL', code: '3D000' })],
    ['a faulty migration', Object.assign(new Error('syntax error'), { severity: 'ERROR', code: '42601' })],
    ['what is no error', 'ECONNREFUSED'],
  ])('does not hold for %s', (_what, error) => {
    expect(mayPass(error)).toBe(false);
  });
});
