import { sqlStateOf } from '../../../src/database/database-errors';
import type { Store } from '../../../src/database/unit-of-work';
import { createDatabase, type TestDatabase } from '../../support/database';
import { openUnitOfWork, type OpenUnitOfWork } from './open-unit-of-work';

// Each test takes a moment only, but machines may be busy.
jest.setTimeout(30_000);

let database: TestDatabase;
let opened: OpenUnitOfWork;
const run: OpenUnitOfWork['unitOfWork']['run'] = (work, options) => opened.unitOfWork.run(work, options);

beforeAll(async () => {
  database = await createDatabase();
  opened = await openUnitOfWork(database.url, { poolSize: 1 });
  await run(async (store) => {
    await store.query('create table notes (id int primary key, text text)');
    await store.query('create sequence reads');
  });
});
beforeEach(() => run((store) => store.query('truncate notes')));
afterAll(async () => {
  await opened.close();
  await database.drop();
});

const openCursors = async (store: Store): Promise<number> =>
  (await store.query('select from pg_cursors')).length;

describe('Store.stream', () => {
  const numbers = 'select n from generate_series(1, $1::int) as n';

  it.each([
    [0, []],
    [3, [3]],
    [4, [4]],
    [9, [4, 4, 1]],
  ])('gives %i rows in batches of %j', async (count, sizes) => {
    const batches = await run(async (store) => {
      const read: { n: number }[][] = [];
      for await (const rows of store.stream<{ n: number }>(numbers, [count], 4)) read.push(rows);
      return read;
    });
    expect(batches.map((rows) => rows.length)).toEqual(sizes);
    expect(batches.flat().map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it('has the server make no more rows than were read, and closes the cursor when its reader leaves', async () => {
    const [left, cursors] = await run(async (store) => {
      const rows = store.stream(`select nextval('reads') from generate_series(1, 1000000)`, [], 10);
      let read = 0;
      for await (const batch of rows) {
        read += batch.length;
        if (read === 20) break;
      }
      return [await store.query('select last_value::int from reads'), await openCursors(store)] as const;
    });
    expect(left).toEqual([{ last_value: 20 }]);
    expect(cursors).toBe(0);
  });

  it('throws what the reader throws', async () => {
    const reading = run(async (store) => {
      for await (const rows of store.stream(numbers, [10], 2)) throw new Error(`reader of ${rows.length}`);
    });
    await expect(reading).rejects.toThrow('reader of 2');
  });

  it('throws the error of a faulty statement', async () => {
    const reading = run(async (store) => {
      for await (const rows of store.stream('select nothing', [], 2)) expect(rows).toBeUndefined();
    });
    await expect(reading.catch(sqlStateOf)).resolves.toBe('42703');
  });

  it('throws an error that comes after the first rows', async () => {
    let seen = 0;
    const reading = run(async (store) => {
      for await (const rows of store.stream('select 1 / (5 - n) from generate_series(1, 9) n', [], 2))
        seen += rows.length;
    });
    await expect(reading.catch(sqlStateOf)).resolves.toBe('22012');
    expect(seen).toBe(4);
  });

  it('lets a savepoint live on after its error', async () => {
    const after = await run(async (store) => {
      await store.query('savepoint here');
      const batches = store.stream('select 1 / 0', [], 1)[Symbol.asyncIterator]();
      await expect(batches.next()).rejects.toThrow('division by zero');
      await store.query('rollback to savepoint here');
      return openCursors(store);
    });
    expect(after).toBe(0);
  });

  it('refuses other statements while it is open, rather than to wait for ever', async () => {
    const nested = run(async (store) => {
      for await (const rows of store.stream(numbers, [9], 2)) await store.query('select $1', [rows.length]);
    });
    await expect(nested).rejects.toThrow(
      'No other statement can run in a transaction while a stream is open',
    );
  });

  it('is closed at the end of the work when nobody has left it', async () => {
    await run(async (store) => {
      await store.stream(numbers, [9], 2)[Symbol.asyncIterator]().next();
    });
    expect(await run(openCursors)).toBe(0);
  });

  it('ends with the unit of work', async () => {
    const kept = await run((store) => Promise.resolve(store));
    const batches = kept.stream(numbers, [9], 2)[Symbol.asyncIterator]();
    await expect(batches.next()).rejects.toThrow();
    await expect(kept.query('select 1')).rejects.toThrow();
    await expect(kept.copyIn('copy notes from stdin', chunksOf('1\t\n'))).rejects.toThrow();
  });
});

describe('Store.copyIn', () => {
  const copy = 'copy notes (id, text) from stdin';
  const texts = async (): Promise<unknown[]> => {
    const rows = await run((store) =>
      store.query<{ text: string | null }>('select text from notes order by id'),
    );
    return rows.map(({ text }) => text);
  };

  it('brings hostile text home unchanged', async () => {
    const hostile = [
      'a\tb',
      'a\nb',
      'a\r\nb',
      'a\\b',
      '\\N',
      '\\.',
      '',
      '\u2028 "quoted" \'text\'',
      '🏗 ünïcödé',
      null,
    ];
    const lines = hostile.map((text, id) => `${id}\t${text === null ? '\\N' : escaped(text)}\n`);
    await run((store) => store.copyIn(copy, chunksOf(...lines)));
    expect(await texts()).toEqual(hostile);
  });

  it('does not care where chunks are cut', async () => {
    await run((store) => store.copyIn(copy, chunksOf(...'1\tone\n2\ttwo\n')));
    expect(await texts()).toEqual(['one', 'two']);
  });

  it('copies nothing from no chunks', async () => {
    await run((store) => store.copyIn(copy, chunksOf()));
    expect(await texts()).toEqual([]);
  });

  it('reads chunks no faster than the server takes them', async () => {
    // 20 MB would pile up if the connection, blocked by another's lock, did not hold the source back.
    let made = 0;
    const other = await openUnitOfWork(database.url, { poolSize: 1 });
    const blocked = other.unitOfWork.run(async (store) => {
      await store.query('lock table notes in share row exclusive mode');
      const copying = run((mine) => mine.copyIn(copy, lines()), { patience: 'bulk' });
      await waitUntil(async () => (await store.query(`select from pg_locks where not granted`)).length > 0);
      return [made, copying] as const;
    });
    async function* lines(): AsyncGenerator<string> {
      for (; made < 300; made += 1) yield await Promise.resolve(`${made}\t${'x'.repeat(64 * 1024)}\n`);
    }
    const [madeWhileBlocked, copying] = await blocked;
    await copying;
    await other.close();
    expect(madeWhileBlocked).toBeLessThan(30);
    expect(await texts()).toHaveLength(300);
  });

  it('throws what making the chunks throws, and copies nothing', async () => {
    const mine = new Error('mine');
    async function* failing(): AsyncGenerator<string> {
      yield '1\tone\n';
      yield 'x'.repeat(200_000);
      await Promise.resolve();
      throw mine;
    }
    await expect(run((store) => store.copyIn(copy, failing()))).rejects.toBe(mine);
    expect(await texts()).toEqual([]);
  });

  it.each([
    ['of the statement', 'copy nothing from stdin', '42P01'],
    ['of a line', copy, '22P02'],
  ])('throws the error %s, and stops reading the chunks', async (_of, sql, state) => {
    let closed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('x\tnot a number\n'.repeat(1000));
      } finally {
        closed = true;
      }
    }
    await expect(run((store) => store.copyIn(sql, endless())).catch(sqlStateOf)).resolves.toBe(state);
    expect(closed).toBe(true);
    expect(await texts()).toEqual([]);
  });

  it('lets a savepoint live on after its error', async () => {
    await run(async (store) => {
      await store.query('savepoint here');
      await expect(store.copyIn(copy, chunksOf('1\n'))).rejects.toThrow('missing data');
      await store.query('rollback to savepoint here');
      await store.copyIn(copy, chunksOf('1\tone\n'));
    });
    expect(await texts()).toEqual(['one']);
  });
});

async function* chunksOf(...chunks: string[]): AsyncGenerator<string> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

function escaped(text: string): string {
  return text.replace(
    /[\\\t\n\r]/g,
    (character) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character] ?? '',
  );
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
