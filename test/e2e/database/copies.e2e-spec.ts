import { DatabaseProbe } from '../../../src/database/connection/database-probe';
import { sqlStateOf } from '../../../src/database/connection/database-errors';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { openUnitOfWork, type OpenUnitOfWork } from './open-unit-of-work';

// Each test takes a moment only, but machines may be busy.
jest.setTimeout(30_000);

let database: TestDatabase;
let opened: OpenUnitOfWork;
const run: OpenUnitOfWork['unitOfWork']['run'] = (work, options) => opened.unitOfWork.run(work, options);

beforeAll(async () => {
  database = await createDatabase();
  opened = await openUnitOfWork(database.url, { poolSize: 1 });
  await run((store) => store.query('create table notes (id int primary key, text text)'));
});
beforeEach(() => run((store) => store.query('truncate notes')));
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await opened.close();
  await database.drop();
});

describe('Store.copyIn', () => {
  const copy = 'copy notes (id, text) from stdin';
  const texts = async (): Promise<unknown[]> => {
    const rows = await run((store) =>
      store.query<{ text: string | null }>('select text from notes order by id'),
    );
    return rows.map(({ text }) => text);
  };

  it('copies hostile text unchanged', async () => {
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

  it('accepts chunks that are cut anywhere', async () => {
    await run((store) => store.copyIn(copy, chunksOf(...'1\tone\n2\ttwo\n')));
    expect(await texts()).toEqual(['one', 'two']);
  });

  it('copies chunks in order, also if one ends within a character', async () => {
    const crane = Buffer.from('2\t🏗\n');
    await run((store) =>
      store.copyIn(
        copy,
        chunksOf('1\tone\n', crane.subarray(0, 4), crane.subarray(4), '3\t', 'three\n', '4\tfour\n'),
      ),
    );
    expect(await texts()).toEqual(['one', '🏗', 'three', 'four']);
  });

  it('refuses other statements while it runs, rather than to wait for ever', async () => {
    const nested = run(async (store) => {
      async function* asking(): AsyncGenerator<Buffer> {
        await store.query('select 1');
        yield Buffer.from('1\tone\n');
      }
      await store.copyIn(copy, asking());
    });
    await expect(nested).rejects.toThrow('No other statement can run in a transaction while a copy runs');
  });

  it('ends with the unit of work', async () => {
    const kept = await run((store) => Promise.resolve(store));
    await expect(kept.query('select 1')).rejects.toThrow();
    await expect(kept.copyIn(copy, chunksOf('1\t\n'))).rejects.toThrow();
  });

  it('copies nothing from no chunks', async () => {
    await run((store) => store.copyIn(copy, chunksOf()));
    expect(await texts()).toEqual([]);
  });

  it('reads chunks no faster than the server takes them', async () => {
    // 20 MB would pile up if the connection, blocked by another's lock, did not hold the source back. On a busy machine that
    // takes longer than a probe waits for its answer, which other tests are about.
    jest.spyOn(DatabaseProbe.prototype, 'answer').mockResolvedValue('ready');
    let made = 0;
    const other = await openUnitOfWork(database.url, { poolSize: 1 });
    const blocked = other.unitOfWork.run(
      async (store) => {
        await store.query('lock table notes in share row exclusive mode');
        const copying = run((mine) => mine.copyIn(copy, lines()), { deadlines: 'bulk' });
        await waitUntil(async () => (await store.query(`select from pg_locks where not granted`)).length > 0);
        return [made, copying] as const;
      },
      { deadlines: 'bulk' },
    );
    async function* lines(): AsyncGenerator<Buffer> {
      for (; made < 300; made += 1) {
        yield await Promise.resolve(Buffer.from(`${made}\t${'x'.repeat(64 * 1024)}\n`));
      }
    }
    const [madeWhileBlocked, copying] = await blocked;
    await copying;
    await other.close();
    expect(madeWhileBlocked).toBeLessThan(30);
    expect(await texts()).toHaveLength(300);
  });

  it('throws what making the chunks throws, and copies nothing', async () => {
    const mine = new Error('mine');
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('1\tone\n');
      yield Buffer.from('x'.repeat(200_000));
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
    async function* endless(): AsyncGenerator<Buffer> {
      const chunk = Buffer.from('x\tnot a number\n'.repeat(1000));
      try {
        for (;;) yield await Promise.resolve(chunk);
      } finally {
        closed = true;
      }
    }
    await expect(run((store) => store.copyIn(sql, endless())).catch(sqlStateOf)).resolves.toBe(state);
    expect(closed).toBe(true);
    expect(await texts()).toEqual([]);
  });

  it('leaves a savepoint usable after its error', async () => {
    await run(async (store) => {
      await store.query('savepoint here');
      await expect(store.copyIn(copy, chunksOf('1\n'))).rejects.toThrow('missing data');
      await store.query('rollback to savepoint here');
      await store.copyIn(copy, chunksOf('1\tone\n'));
    });
    expect(await texts()).toEqual(['one']);
  });
});

async function* chunksOf(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
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
