import { isLockFailure, sqlStateOf } from '../../../src/database/connection/database-errors';
import { StillBusy } from '../../../src/runtime/fairness/overloaded';
import { REQUEST_LIMIT_MS } from '../../../src/database/connection/limits';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import type { Deadlines } from '../../../src/database/connection/deadlines';
import type { Store } from '../../../src/database/transaction/store';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { latch } from '../../support/this-process/latch';
import { openUnitOfWork, type OpenUnitOfWork } from './open-unit-of-work';

// Each test takes a moment only, but machines may be busy.
jest.setTimeout(30_000);

describe('UnitOfWork', () => {
  let database: TestDatabase;
  let opened: OpenUnitOfWork;
  const run: OpenUnitOfWork['unitOfWork']['run'] = (work, options) => opened.unitOfWork.run(work, options);

  beforeAll(async () => {
    database = await createDatabase();
    opened = await openUnitOfWork(database.url, { poolSize: 2 });
    await run((store) =>
      store.query('create table notes (id int constraint pk_notes primary key, text text)'),
    );
  });
  beforeEach(() => run((store) => store.query('truncate notes')));
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });

  const add = (store: Store, id: number): Promise<object[]> =>
    store.query('insert into notes (id) values ($1)', [id]);
  const ids = async (): Promise<number[]> => {
    const rows = await run((store) => store.query<{ id: number }>('select id from notes order by id'));
    return rows.map(({ id }) => id);
  };

  describe('commits', () => {
    it('what the work has done, and gives back what it returns', async () => {
      const result = await run(async (store) => {
        await add(store, 1);
        await store.manager.query('insert into notes (id) values (2)');
        return 'done';
      });
      expect(result).toBe('done');
      expect(await ids()).toEqual([1, 2]);
    });

    it('without what a savepoint has undone', async () => {
      await run(async (store) => {
        await add(store, 1);
        const twice = store.manager.transaction((inner) =>
          inner.query('insert into notes (id) values (3), (1)'),
        );
        await expect(twice).rejects.toThrow('pk_notes');
        await add(store, 2);
      });
      expect(await ids()).toEqual([1, 2]);
    });

    it('what a savepoint that was left open has done', async () => {
      await run(async (store) => {
        await store.manager.queryRunner?.startTransaction();
        await add(store, 1);
      });
      expect(await ids()).toEqual([1]);
    });
  });

  describe('rolls back', () => {
    it('when the work throws, and throws the same', async () => {
      const mine = new Error('mine');
      const failing = run(async (store) => {
        await add(store, 1);
        throw mine;
      });
      await expect(failing).rejects.toBe(mine);
      expect(await ids()).toEqual([]);
    });

    it('with a savepoint still open', async () => {
      const failing = run(async (store) => {
        await add(store, 1);
        await store.manager.queryRunner?.startTransaction();
        throw new Error('inside');
      });
      await expect(failing).rejects.toThrow('inside');
      expect(await ids()).toEqual([]);
    });

    it('and says so when a statement failed and the work went on', async () => {
      const careless = run(async (store) => {
        await add(store, 1);
        await add(store, 1).catch(() => undefined);
      });
      await expect(careless).rejects.toThrow('nothing was committed');
      expect(await ids()).toEqual([]);
    });
  });

  describe('lets errors of statements rise', () => {
    const failureOf = (
      work: (store: Store) => Promise<unknown>,
      options?: Parameters<typeof run>[1],
    ): Promise<unknown> =>
      run(work, options).then(
        () => undefined,
        (error: unknown) => error,
      );

    it('with their SQLSTATE', async () => {
      const error = await failureOf((store) => store.query('insert into notes (id) values (1), (1)'));
      expect(error).not.toBeInstanceOf(DatabaseUnavailable);
      expect(sqlStateOf(error)).toBe('23505');
    });

    it('when a lock is not given in time', async () => {
      const error = await run(async (store) => {
        await store.query('lock table notes');
        return failureOf(async (other) => {
          await other.query(`set local lock_timeout = '10ms'`);
          await add(other, 1);
        });
      });
      expect(sqlStateOf(error)).toBe('55P03');
    });

    it('when transactions cannot be put in order', async () => {
      await run((store) => add(store, 1));
      const error = await failureOf(
        async (store) => {
          await store.query('select from notes');
          await run((other) => other.query(`update notes set text = 'a'`));
          await store.query(`update notes set text = 'b'`);
        },
        { isolation: 'REPEATABLE READ' },
      );
      expect(sqlStateOf(error)).toBe('40001');
    });

    it('when work that only reads writes', async () => {
      const error = await failureOf((store) => add(store, 1), { readOnly: true });
      expect(sqlStateOf(error)).toBe('25006');
    });

    it('but not those that mean that the database failed', async () => {
      const slow = await failureOf(async (store) => {
        await store.query(`set local statement_timeout = '10ms'`);
        await store.query('select pg_sleep(60)');
      });
      const killed = await failureOf((store) => store.query('select pg_terminate_backend(pg_backend_pid())'));
      const raised = await failureOf((store) => store.query(`do $$ begin raise sqlstate '53100'; end $$`));
      const standby = await failureOf(async (store) => {
        await store.query('set transaction read only');
        await add(store, 1);
      });
      for (const error of [slow, killed, raised, standby]) expect(error).toBeInstanceOf(DatabaseUnavailable);
      expect(slow).toHaveProperty('cause.code', '57014');
    });
  });

  it('reads one state of the data at REPEATABLE READ', async () => {
    const [before, after] = await run(
      async (store) => {
        const count = () => store.query<object>('select count(*)::int from notes');
        const first = await count();
        await run((other) => add(other, 1));
        return [first, await count()];
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
    expect(after).toEqual(before);
  });

  it('gives every connection back, whatever happened on it', async () => {
    const outcomes = [
      (store: Store) => add(store, 1),
      () => Promise.reject(new Error('no')),
      (store: Store) => store.query('no such statement'),
      (store: Store) => store.query('select pg_terminate_backend(pg_backend_pid())'),
      (store: Store) => store.copyIn('copy notes from stdin', failingChunks()),
    ];
    for (const deadlines of ['request', 'bulk'] as const) {
      for (const work of [...outcomes, ...outcomes])
        await run<unknown>(work, { deadlines }).catch(() => undefined);
    }
    const idle = await run((store) =>
      store.query<{ state: string }>(
        `select state from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      ),
    );
    expect(idle.filter(({ state }) => state !== 'idle')).toEqual([]);
    await expect(Promise.all(Array.from({ length: 20 }, () => ids()))).resolves.toHaveLength(20);
  });

  it('does not reuse a connection that it could not reset', async () => {
    const impossible = { isolation: 'NO SUCH LEVEL' as 'READ COMMITTED' };
    const begun = [1, 2].map((id) => run((store) => add(store, id), impossible)); // As many as the pool has.
    const waiting = Array.from({ length: 4 }, ids);
    for (const { status } of await Promise.allSettled(begun)) expect(status).toBe('rejected');
    expect(await Promise.all(waiting)).toEqual([[], [], [], []]);
  });

  it('keeps connections for requests while long work has all it may have', async () => {
    const { opened: finished, open: finish } = latch();
    const { opened: begun, open: begin } = latch();
    const order: number[] = [];
    const long = [1, 2, 3].map((number) =>
      run(
        async () => {
          order.push(number);
          begin();
          await finished;
        },
        { deadlines: 'bulk' },
      ),
    );
    await begun;
    expect(await ids()).toEqual([]);
    expect(order).toEqual([1]);
    finish();
    await Promise.all(long);
    expect(order).toEqual([1, 2, 3]);
  });

  describe('with a wait for locks', () => {
    const holdLock = async (
      deadlines: Deadlines = 'request',
    ): Promise<{ release: () => void; released: Promise<void> }> => {
      const { opened: end, open: release } = latch();
      const { opened: held, open: locked } = latch();
      const hold = async (store: Store): Promise<void> => {
        await store.query('lock table notes');
        locked();
        await end;
      };
      const released = run(hold, { deadlines });
      await held;
      return { release, released };
    };

    it('begins again until the lock is given, and holds no connection in between', async () => {
      const holder = await holdLock();
      let attempts = 0;
      const patient = run(
        (store) => {
          attempts += 1;
          if (attempts === 2) holder.release();
          return add(store, 1);
        },
        { lockWaitMs: 20_000, deadlines: 'bulk' },
      );
      await patient;
      await holder.released;
      expect(attempts).toBeGreaterThan(1);
      expect(await ids()).toEqual([1]);
    });

    it('throws the error of the lock when its wait is over', async () => {
      const holder = await holdLock();
      const error = await run((store) => add(store, 1), { lockWaitMs: 300 }).catch(
        (thrown: unknown) => thrown,
      );
      expect(sqlStateOf(error)).toBe('55P03');
      holder.release();
      await holder.released;
      expect(await ids()).toEqual([]);
    });

    it('leaves no listener behind for an attempt that is over', async () => {
      const warnings: Error[] = [];
      const listen = (warning: Error): number => warnings.push(warning);
      process.on('warning', listen);
      const holder = await holdLock();
      let attempts = 0;
      await run(
        async (store) => {
          attempts += 1;
          if (attempts === 14) {
            holder.release();
            await holder.released;
          }
          await store.query('lock table notes nowait');
        },
        { lockWaitMs: 20_000 },
      );
      process.off('warning', listen);
      expect(attempts).toBe(14);
      expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([]);
    });

    it('counts a request’s time for each attempt, so that waiting for locks may take longer than that', async () => {
      const holder = await holdLock('bulk');
      const began = performance.now();
      let attempts = 0;
      const patient = run(
        (store) => {
          attempts += 1;
          if (performance.now() - began > REQUEST_LIMIT_MS + 500) holder.release();
          return add(store, 1);
        },
        { lockWaitMs: 20_000 },
      );
      await patient;
      await holder.released;
      expect(attempts).toBeGreaterThan(1);
      expect(await ids()).toEqual([1]);
    });

    it('gives up one attempt that takes longer than a request may', async () => {
      const slow = run((store) => store.query('select pg_sleep(20)'), { lockWaitMs: 20_000 });
      await expect(slow).rejects.toThrow(DatabaseUnavailable);
    });

    it('waits for its turn in a queue as long as for its locks, and is refused as busy then', async () => {
      const { opened: ended, open: end } = latch();
      const first = run(() => ended, {
        customerId: 'a',
        queue: 'x',
        deadlines: 'bulk',
      });
      const second = run((store) => add(store, 1), { customerId: 'a', queue: 'x', lockWaitMs: 300 });
      const refused = await second.catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(StillBusy);
      expect(isLockFailure(refused)).toBe(true);
      end();
      await first;
      expect(await ids()).toEqual([]);
    });

    it('leaves other errors alone', async () => {
      let attempts = 0;
      const failing = run(
        async (store) => {
          attempts += 1;
          await store.query('insert into notes (id) values (1), (1)');
        },
        { lockWaitMs: 1_000 },
      );
      await expect(failing).rejects.toThrow('pk_notes');
      expect(attempts).toBe(1);
    });
  });

  it('lets works of one queue follow one another', async () => {
    const log: string[] = [];
    const works = [1, 2, 3].map((number) =>
      run(
        async (store) => {
          log.push(`${number} begins`);
          await store.query('select pg_sleep(0.01)');
          log.push(`${number} ends`);
        },
        { customerId: 'a', queue: 'x' },
      ),
    );
    await Promise.all(works);
    expect(log).toEqual([1, 2, 3].flatMap((number) => [`${number} begins`, `${number} ends`]));
  });

  it('begins nothing for a caller that has disconnected', async () => {
    let begun = false;
    const work = (): Promise<void> => {
      begun = true;
      return Promise.resolve();
    };
    const signal = AbortSignal.abort(new DatabaseUnavailable('The client is gone'));
    await expect(run(work, { signal })).rejects.toThrow('The client is gone');
    expect(begun).toBe(false);
  });

  it('has no limit for one statement of bulk work', async () => {
    const timeouts = (deadlines: 'request' | 'bulk') =>
      run(
        async (store) => {
          const [row] = await store.query<{ statement: string; idle: string }>(
            `select current_setting('statement_timeout') as statement,
                  current_setting('idle_in_transaction_session_timeout') as idle`,
          );
          return row;
        },
        { deadlines },
      );
    expect(await timeouts('bulk')).toEqual({ statement: '0', idle: '0' });
    expect(await timeouts('request')).toEqual({ statement: '3500ms', idle: '10s' });
  });

  it('has no statement compiled, which takes longer than the statements themselves', async () => {
    const pooled = await openUnitOfWork(database.url, { poolSize: 1 }, 'transaction');
    const jit = (store: Store) => store.query('show jit');
    for (const deadlines of ['request', 'bulk'] as const) {
      expect(await run(jit, { deadlines })).toEqual([{ jit: 'off' }]);
      expect(await pooled.unitOfWork.run(jit, { deadlines })).toEqual([{ jit: 'off' }]);
    }
    expect(await pooled.unitOfWork.read('show jit', [])).toEqual([{ jit: 'off' }]);
    expect(await pooled.dataSource.query('show jit')).toEqual([{ jit: 'on' }]);
    await pooled.close();
  });

  it('leaves nothing set on a session that a pooler hands on, and has the same limits', async () => {
    const pooled = await openUnitOfWork(database.url, { poolSize: 1 }, 'transaction');
    const limits = (deadlines: 'request' | 'bulk') =>
      pooled.unitOfWork.run(
        async (store) => {
          const [row] = await store.query<{ now: string; session: string; idle: string }>(
            `select current_setting('statement_timeout') as now, reset_val as session,
                    current_setting('idle_in_transaction_session_timeout') as idle
             from pg_settings where name = 'statement_timeout'`,
          );
          return row;
        },
        { deadlines },
      );
    expect(await limits('request')).toEqual({ now: '3500ms', session: '0', idle: '10s' });
    expect(await limits('bulk')).toEqual({ now: '0', session: '0', idle: '0' });
    expect(await pooled.dataSource.query('show statement_timeout')).toEqual([{ statement_timeout: '0' }]);
    expect(await pooled.dataSource.query('show client_connection_check_interval')).toEqual([
      { client_connection_check_interval: '0' },
    ]);
    await pooled.close();
  });

  it('makes the server check that the client is still connected', async () => {
    const [row] = await run((store) =>
      store.query(`select current_setting('client_connection_check_interval') as value`),
    );
    expect(row).toEqual({ value: '1s' });
  });
});

async function* failingChunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('1\t\\N\n');
  await Promise.resolve();
  throw new Error('no more');
}
