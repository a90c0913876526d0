import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWorkOptions } from '../../../src/database/transaction/unit-of-work';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import type { Store } from '../../../src/database/transaction/store';
import { Overloaded } from '../../../src/runtime/fairness/overloaded';
import { openUnitOfWork, type OpenUnitOfWork } from './open-unit-of-work';
import { OwnServer } from './own-server';
import { latch } from '../../support/this-process/latch';

jest.setTimeout(60_000);

/** What the service promises for an answer; the limits inside leave time for the rest of it. */
const PROMISE_MS = 5000;
const HEALTH_PROMISE_MS = 2000;

/** So many that the share of each customer holds what is tried at once. */
const POOL_SIZE = 18;

const kinds: NonNullable<UnitOfWorkOptions['deadlines']>[] = ['request', 'bulk'];

describe('When the database', () => {
  let server: OwnServer;
  let opened: OpenUnitOfWork;
  const run: OpenUnitOfWork['unitOfWork']['run'] = (work, options) => opened.unitOfWork.run(work, options);

  // Nest's log would appear between the results.
  const messages: string[] = [];
  const keep = (message: unknown): void => void messages.push(String(message));

  beforeAll(async () => {
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    server = await OwnServer.start();
    opened = await openUnitOfWork(server.url, { poolSize: POOL_SIZE });
    await run((store) => store.query('create table notes (id int primary key)'));
  });
  beforeEach(() => run((store) => store.query('truncate notes')));
  afterEach(recovered);
  afterAll(async () => {
    await opened.close();
    await server.remove();
  });

  const ids = async (): Promise<number[]> => {
    const rows = await run((store) => store.query<{ id: number }>('select id from notes order by id'));
    return rows.map(({ id }) => id);
  };

  /** The service must come back by itself, with all of its connections. */
  async function recovered(): Promise<void> {
    await expect(opened.probe.check()).resolves.toBe(true);
    await expect(Promise.all(Array.from({ length: 30 }, ids))).resolves.toHaveLength(30);
    // The server hears of connections that were cut while it was frozen one after the other; none may stay.
    while ((await inTransaction()) > 0) await sleep(20);
  }

  const inTransaction = async (): Promise<number> => {
    const sessions = await run((store) =>
      store.query(
        `select from pg_stat_activity where state like 'idle in transaction%' and pid <> pg_backend_pid()`,
      ),
    );
    return sessions.length;
  };

  /** Work in each state in which an outage can find it; each reports when it is there. */
  type Work = (store: Store, id: number, there: () => void, outage: Promise<void>) => Promise<void>;
  const works: Record<string, Work> = {
    'between statements': async (store, id, there, outage) => {
      await store.query('insert into notes values ($1)', [id]);
      there();
      await outage;
      await store.query('insert into notes values ($1)', [id + 10]);
    },
    'in a statement': async (store, _id, there) => {
      there();
      await store.query('select pg_sleep(3600)');
    },
    'in a copy': async (store, _id, there, outage) => {
      async function* lines(): AsyncGenerator<Buffer> {
        yield Buffer.from('1\n'.repeat(100_000));
        there();
        await outage;
        yield Buffer.from('1\n'.repeat(1_000_000));
      }
      await store.query('create temporary table copied (id int) on commit drop');
      await store.copyIn('copy copied from stdin', lines());
    },
  };

  describe.each([
    ['is stopped', () => server.stop(), () => server.start()],
    ['is frozen', () => server.freeze(), () => server.thaw()],
  ])('%s', (_is, begin, end) => {
    it('new work with any deadlines fails in time, with that cause', async () => {
      await begin();
      try {
        const failures = await Promise.all(
          [...kinds, ...kinds, ...kinds, ...kinds, ...kinds, ...kinds, ...kinds, ...kinds].map((deadlines) =>
            timed(run((store) => store.query('select 1'), { deadlines })),
          ),
        );
        for (const { error, took } of failures) {
          expect(error).toBeInstanceOf(DatabaseUnavailable);
          expect(took).toBeLessThan(PROMISE_MS);
        }
      } finally {
        await end();
      }
    });

    it('work in progress with any deadlines fails in time, with that cause, and leaves nothing behind', async () => {
      const { opened: outage, open: outageBegun } = latch();
      const running = kinds.flatMap((deadlines, kind) =>
        Object.values(works).map((work, customer) => {
          const { opened: arrived, open: there } = latch();
          const result = run((store) => work(store, kind, there, outage), {
            deadlines,
            customerId: `customer ${customer}`,
          });
          return { arrived, result: result.catch((error: unknown) => error) };
        }),
      );
      await Promise.all(running.map(({ arrived }) => arrived));
      const began = performance.now();
      await begin();
      outageBegun();
      try {
        for (const { result } of running) expect(await result).toBeInstanceOf(DatabaseUnavailable);
        expect(performance.now() - began).toBeLessThan(PROMISE_MS);
      } finally {
        await end();
      }
      expect(await ids()).toEqual([]);
    });

    it('the probe reports it in time, to all concurrent callers', async () => {
      await begin();
      try {
        const answers = await timed(
          Promise.all([opened.probe.check(), opened.probe.check(), opened.probe.check()]),
        );
        expect(answers.result).toEqual([false, false, false]);
        expect(answers.took).toBeLessThan(HEALTH_PROMISE_MS);
        expect((await timed(opened.probe.check())).took).toBeLessThan(HEALTH_PROMISE_MS);
      } finally {
        await end();
      }
    });
  });

  it('is frozen, the pool can still be closed', async () => {
    const other = await openUnitOfWork(server.url, { poolSize: 2 });
    await other.unitOfWork.run((store) => store.query('select 1'));
    await other.probe.check();
    await server.freeze();
    try {
      expect((await timed(other.close())).took).toBeLessThan(PROMISE_MS);
    } finally {
      await server.thaw();
    }
  });

  it('is restarted while it is idle, the next work succeeds, and the log reports it', async () => {
    await ids();
    messages.length = 0;
    await server.stop();
    await server.start();
    await sleep(50); // The ends of the old connections must have been read.
    expect(await ids()).toEqual([]);
    expect(messages.join('\n')).toContain('An idle connection broke');
  });

  describe('is at work', () => {
    const checks: Readonly<Record<string, () => Promise<void>>> = {
      'and all connections are in use, work waits up to its limit and then fails with that cause':
        async () => {
          const own = await openUnitOfWork(server.url, { poolSize: POOL_SIZE });
          const busy = Array.from({ length: POOL_SIZE }, () =>
            own.unitOfWork.run(() => sleep(PROMISE_MS)).catch((error: unknown) => error),
          );
          const late = await timed(own.unitOfWork.run((store) => store.query('select 1')));
          expect(late.error).toBeInstanceOf(Overloaded);
          expect(late.took).toBeLessThan(PROMISE_MS);
          // Those inside ran out of time; those that waited with it were not begun.
          for (const failure of await Promise.all(busy))
            expect(failure instanceof DatabaseUnavailable || failure instanceof Overloaded).toBe(true);
          await own.close();
        },
      'and gives a connection too late, it is not used for work that has failed': async () => {
        const own = await openUnitOfWork(server.url, { poolSize: 1, connectTimeoutMS: 60_000 });
        const { opened: finished, open: finish } = latch();
        const { opened: held, open: inside } = latch();
        const holding = own.unitOfWork.run(
          () => {
            inside();
            return finished;
          },
          { deadlines: 'bulk' },
        );
        await held;
        let begun = false;
        const late = own.unitOfWork.run(async (store) => {
          begun = true;
          await store.query('insert into notes values (1)');
        });
        await expect(late).rejects.toBeInstanceOf(Overloaded);
        finish();
        await holding;
        await expect(own.unitOfWork.run((store) => store.query('select 1'))).resolves.toHaveLength(1);
        await own.close();
        expect(begun).toBe(false);
      },
      'and responds, bulk work may take longer than a request': async () => {
        const own = await openUnitOfWork(server.url, { poolSize: POOL_SIZE });
        const reading = own.unitOfWork.run(
          async (store) => {
            await store.query('select 1');
            await sleep(PROMISE_MS);
            return (await store.query('select generate_series(1, 30)')).length;
          },
          { deadlines: 'bulk', readOnly: true },
        );
        const loading = own.unitOfWork.run(
          (store) => store.query('select pg_sleep($1)', [PROMISE_MS / 1000]),
          { deadlines: 'bulk' },
        );
        expect(await reading).toBe(30);
        await expect(loading).resolves.toHaveLength(1);
        await own.close();
      },
    };

    // Each does nothing but wait, on connections of its own. So they wait together.
    const results = new Map<string, Promise<void>>();
    beforeAll(() => {
      for (const [name, check] of Object.entries(checks)) {
        const result = check();
        void result.catch(() => undefined); // Its test says so, in its turn.
        results.set(name, result);
      }
    });

    it.each(Object.keys(checks))('%s', async (name) => {
      expect(results.has(name)).toBe(true);
      await results.get(name);
    });
  });
});

interface Timed<T> {
  readonly result?: T;
  readonly error?: unknown;
  readonly took: number;
}

async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const began = performance.now();
  return work.then(
    (result) => ({ result, took: performance.now() - began }),
    (error: unknown) => ({ error, took: performance.now() - began }),
  );
}
