import { DataSource } from 'typeorm';
import { DatabaseClient } from '../../../src/database/connection/database-client';
import { RoundTrip } from '../../../src/database/connection/round-trip';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import { KeyAllowance } from '../../../src/common/idempotency/key-allowance';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { connect } from '../../support/customers/listings';
import { openUnitOfWork, type OpenUnitOfWork } from './open-unit-of-work';

jest.setTimeout(60_000);

/** The round trips of the transactions that some work makes, each with its statements; only of those that read records. */
async function tripsOf(work: () => Promise<unknown>, about = ''): Promise<string[][]> {
  const query = jest.spyOn(DatabaseClient.prototype, 'query');
  try {
    await work();
    const open = new Map<unknown, string[][]>();
    const transactions: string[][][] = [];
    for (const [place, call] of query.mock.calls.entries()) {
      const [asked]: unknown[] = call;
      const trip = asked instanceof RoundTrip ? asked.statements.map(({ sql }) => sql) : [textOf(asked)];
      const client = query.mock.contexts[place];
      const trips = [...(open.get(client) ?? []), trip];
      // The look-up of a key is a statement outside of any transaction, and comes again after a second.
      const isAlone = trips.length === 1 && !trip.some((sql) => sql.startsWith('begin'));
      if (isAlone || trip.includes('commit') || trip.includes('rollback')) {
        transactions.push(trips);
        open.delete(client);
      } else open.set(client, trips);
    }
    return transactions.filter((trips) => trips.flat().some((sql) => sql.includes(about))).flat();
  } finally {
    query.mockRestore();
  }
}

function textOf(asked: unknown): string {
  return typeof asked === 'string' ? asked : JSON.stringify(asked);
}

describe('A unit of work', () => {
  let database: TestDatabase;
  let opened: OpenUnitOfWork;
  beforeAll(async () => {
    database = await createDatabase();
    opened = await openUnitOfWork(database.url, { poolSize: 1 });
    await opened.unitOfWork.run((store) => store.query('create table notes (id int primary key)'));
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });
  const ids = async () =>
    (await opened.unitOfWork.read<{ id: number }>('select id from notes order by id', [])).map(
      ({ id }) => id,
    );

  it('sends statements of one turn in one round trip, together with begin', async () => {
    const trips = await tripsOf(() =>
      opened.unitOfWork.run((store) =>
        Promise.all([store.query('select $1::int', [1]), store.query('select $1::text', ['a'])]),
      ),
    );
    expect(trips).toEqual([['begin', 'select $1::int', 'select $1::text'], ['commit']]);
  });

  it('reads by one statement in one round trip, and cannot write so', async () => {
    expect(await tripsOf(() => opened.unitOfWork.read('select $1::int', [1]))).toEqual([
      ['begin read only', 'select $1::int', 'commit'],
    ]);
    const writing = opened.unitOfWork.read('insert into notes values ($1) returning id', [1]);
    await expect(writing).rejects.toThrow('read-only transaction');
    expect(await ids()).toEqual([]);
  });

  it('sends late writes with the commit, in order', async () => {
    const trips = await tripsOf(() =>
      opened.unitOfWork.run((store) => {
        store.queryLater('insert into notes values ($1)', [2]);
        store.queryLater('update notes set id = id + $1', [1]);
        return Promise.resolve();
      }),
    );
    expect(trips).toHaveLength(1);
    expect(await ids()).toEqual([3]);
    await opened.unitOfWork.run((store) => store.query('truncate notes'));
  });

  it('ends with the error of a late write, and has written nothing', async () => {
    const failing = opened.unitOfWork.run((store) => {
      store.queryLater('insert into notes values ($1)', [4]);
      store.queryLater('insert into notes values ($1)', [4]);
      return Promise.resolve();
    });
    await expect(failing).rejects.toThrow('notes_pkey');
    expect(await ids()).toEqual([]);
  });

  it('runs nothing outside of a transaction that could not be begun', async () => {
    const impossible = { isolation: 'NO SUCH LEVEL' as 'READ COMMITTED' };
    const failing = opened.unitOfWork.run(
      (store) => store.query('insert into notes values ($1)', [5]),
      impossible,
    );
    await expect(failing).rejects.toThrow(DatabaseUnavailable);
    expect(await ids()).toEqual([]);
  });

  it('runs no statement after a failed one, and the connection stays usable', async () => {
    const failing = opened.unitOfWork.run((store) =>
      Promise.all([
        store.query('select 1 / $1::int', [0]),
        store.query('insert into notes values ($1) returning 6 as six', [6]),
      ]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    // The statement that was not looked at is prepared when it comes again.
    const again = opened.unitOfWork.run((store) =>
      store.query('insert into notes values ($1) returning 6 as six', [6]),
    );
    await expect(again).resolves.toEqual([{ six: 6 }]);
    expect(await ids()).toEqual([6]);
    await opened.unitOfWork.run((store) => store.query('truncate notes'));
  });

  it('survives a parameter that cannot be sent', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const failing = opened.unitOfWork.run((store) => store.query('select $1::text', [circular]));
    await expect(failing).rejects.toThrow();
    expect(await ids()).toEqual([]);
  });

  it('keeps the statements of requests prepared, and not those of bulk work', async () => {
    const names = (deadlines: 'request' | 'bulk') =>
      opened.unitOfWork.run(
        async (store) => {
          await store.query(`select $1::text as ${deadlines}`, ['a']);
          return store.query('select statement from pg_prepared_statements where statement like $1', [
            `% as ${deadlines}`,
          ]);
        },
        { deadlines },
      );
    expect(await names('request')).toHaveLength(1);
    expect(await names('bulk')).toHaveLength(0);
  });

  it('keeps nothing prepared on a session that a pooler hands on', async () => {
    const pooled = await openUnitOfWork(database.url, { poolSize: 1 }, 'transaction');
    const rows = await pooled.unitOfWork.run(async (store) => {
      await store.query('select $1::text', ['a']);
      return store.query('select name from pg_prepared_statements where $1', [true]);
    });
    expect(rows).toEqual([]);
    await pooled.close();
  });
});

describe('A request', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    app = await startApp();
    client = api(app.url, (await app.openSession()).key);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
  });
  afterAll(() => app.close());

  it('for a page of a listing makes one round trip', async () => {
    const trips = await tripsOf(
      () => client.get('/objects?platform=platform_a&entity_type=contract'),
      'platform_records',
    );
    expect(trips.map((trip) => trip.length)).toEqual([3]);
  });

  it('to propagate a change to two sandboxes makes three', async () => {
    const trips = await tripsOf(
      () =>
        client.post('/propagate', {
          format: 'platform',
          platform: 'platform_a',
          platform_id: '1823456',
          entity_type: 'payment',
          data: { notes: 'Counted' },
        }),
      'platform_records',
    );
    // Begin, two settings, two for the locks, two that load; the sandboxes’ records; these records, the cause,
    // that comparisons are behind, the versions that end, the records, the history, the events, commit.
    expect(trips.map((trip) => trip.length)).toEqual([7, 1, 8]);
  });

  it('to propagate a change has no statement that the server plans each time', async () => {
    const change = (number: number) =>
      client.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823456',
        entity_type: 'payment',
        data: { amount: `${1000 + number}.00`, notes: `Planned ${number}` },
      });
    // In small tables every plan is as good as any other.
    const database = app.app.get(DataSource, { strict: false });
    await database.query(
      `insert into sandbox_records (customer_id, platform, entity_type, platform_id, payload)
       select s.customer_id, p.platform, 'payment', 'other-' || n, '{}'
       from (select customer_id from connections limit 1) s, generate_series(1, 3000) n,
         (values ('platform_a'), ('platform_b')) p (platform)`,
    );
    await database.query('analyze');
    const query = jest.spyOn(DatabaseClient.prototype, 'query');
    const plans = new Map<string, { generic: number; custom: number }>();
    let sessions = 0;
    try {
      for (let number = 0; number < 40; number++) expect((await change(number)).status).toBe(200);
      const calls = query.mock.calls.map(([asked]: unknown[]) => asked);
      const used = query.mock.contexts.filter((_, place) => {
        const asked = calls[place];
        return asked instanceof RoundTrip && asked.statements.some(({ sql }) => sql.includes('propagations'));
      });
      for (const session of new Set(used) as Set<DatabaseClient>) {
        sessions += 1;
        const { rows } = await session.query<{ statement: string; generic: number; custom: number }>(
          'select statement, generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements',
        );
        for (const { statement, generic, custom } of rows) {
          const before = plans.get(statement) ?? { generic: 0, custom: 0 };
          plans.set(statement, { generic: before.generic + generic, custom: before.custom + custom });
        }
      }
    } finally {
      query.mockRestore();
    }
    // A session makes five plans for given parameters before it compares them with one for any.
    const often = [...plans].filter(([, { generic, custom }]) => generic + custom > 5 * sessions);
    expect(often.length).toBeGreaterThan(10);
    expect(often.filter(([, { generic }]) => generic === 0)).toEqual([]);
  });

  it('with an Idempotency-Key makes one more, and only one when it is repeated', async () => {
    const send = (key = 'counted') =>
      client.post(
        '/propagate',
        {
          format: 'platform',
          platform: 'platform_a',
          platform_id: '1823456',
          entity_type: 'payment',
          data: { notes: `Keyed ${key}` },
        },
        { 'Idempotency-Key': key },
      );
    // With the first key of a customer an instance counts what there is, in the background.
    await send('first');
    await app.app.get(KeyAllowance, { strict: false }).settled();
    const claim = ['begin', 'set local', 'insert into idempotency_keys', 'select digest', 'commit'];
    const [first, ...effect] = await tripsOf(send, 'idempotency_keys');
    expect(first?.map((sql) => claim.findIndex((start) => sql.trim().startsWith(start)))).toEqual([
      0, 1, 1, 2, 3, 4,
    ]);
    // The lock of the key goes with the other locks, the answer with the records.
    expect(effect.map((trip) => trip.length)).toEqual([8, 1, 9]);
    expect((await tripsOf(send, 'idempotency_keys')).map((trip) => trip.length)).toEqual([6]);
  });
});
