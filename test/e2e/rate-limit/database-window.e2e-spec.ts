import { Client } from 'pg';
import { DatabaseWindowStorage } from '../../../src/common/rate-limit/database-window.storage';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { openUnitOfWork, type OpenUnitOfWork } from '../database/open-unit-of-work';

jest.setTimeout(30_000);

const [ttl, limit] = [60_000, 5];

describe('DatabaseWindowStorage', () => {
  let database: TestDatabase;
  let opened: OpenUnitOfWork;
  let client: Client;
  beforeAll(async () => {
    database = await migratedDatabase();
    opened = await openUnitOfWork(database.url, { poolSize: 8 });
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  beforeEach(() => client.query('truncate rate_limit_windows'));
  afterAll(async () => {
    await client.end();
    await opened.close();
    await database.drop();
  });

  /** As one more instance has it. */
  const storage = () => new DatabaseWindowStorage(opened.unitOfWork);
  const pass = (seconds: number) =>
    client.query(`update rate_limit_windows set ends_at = ends_at - $1 * interval '1 second'`, [seconds]);
  const hits = async (): Promise<unknown[]> =>
    (await client.query<object>('select key, hits from rate_limit_windows')).rows;

  it('lets the limit pass and blocks the next, whichever instance counts', async () => {
    const instances = [storage(), storage()];
    for (let count = 1; count <= limit; count += 1) {
      await expect(instances[count % 2]?.increment('a', ttl, limit)).resolves.toMatchObject({
        totalHits: count,
        isBlocked: false,
        timeToBlockExpire: 0,
      });
    }
    for (const instance of [...instances, storage()]) {
      const { isBlocked, timeToBlockExpire } = await instance.increment('a', ttl, limit);
      expect(isBlocked).toBe(true);
      expect(timeToBlockExpire).toBeGreaterThan(0);
      expect(timeToBlockExpire).toBeLessThanOrEqual(60);
    }
  });

  it('counts exactly when all requests arrive at once', async () => {
    const instances = [storage(), storage(), storage()];
    const counts = await Promise.all(
      instances.flatMap((one) => Array.from({ length: 10 }, () => one.increment('a', ttl, limit))),
    );
    expect(counts.filter(({ isBlocked }) => !isBlocked)).toHaveLength(limit);
  });

  it('counts each key by itself', async () => {
    const one = storage();
    for (let count = 0; count <= limit; count += 1) await one.increment('a', ttl, limit);
    await expect(one.increment('b', ttl, limit)).resolves.toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('starts a new count when the window is over', async () => {
    for (let count = 0; count <= limit; count += 1) await storage().increment('a', ttl, limit);
    await pass(60);
    await expect(storage().increment('a', ttl, limit)).resolves.toMatchObject({
      totalHits: 1,
      timeToExpire: 60,
    });
  });

  it('locks no client out when the clock of the server is set back', async () => {
    for (let count = 0; count <= limit; count += 1) await storage().increment('a', ttl, limit);
    await pass(-3600);
    await expect(storage().increment('a', ttl, limit)).resolves.toMatchObject({
      totalHits: 1,
      isBlocked: false,
      timeToExpire: 60,
    });
  });

  it('does not ask the database again about a key that is blocked', async () => {
    const one = storage();
    for (let count = 0; count <= limit; count += 1) await one.increment('a', ttl, limit);
    for (let count = 0; count < 20; count += 1) {
      await expect(one.increment('a', ttl, limit)).resolves.toMatchObject({ isBlocked: true });
    }
    expect(await hits()).toEqual([{ key: 'a', hits: limit + 1 }]);
  });

  it('forgets windows that have ended', async () => {
    await storage().increment('old', ttl, limit);
    await pass(60);
    await storage().increment('new', ttl, limit);
    await storage().forgetEnded();
    expect(await hits()).toEqual([{ key: 'new', hits: 1 }]);
  });
});
