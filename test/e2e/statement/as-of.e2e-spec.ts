import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { busyBooks, reproduceStatements } from '../../support/customers/busy-books';
import { GivenRecords } from '../../support/platforms/given-records';
import { HeldCommits } from '../../support/database/held-commits';

const settings = { propagateWaitMs: 0, logLevel: 'error' } as const;

type Body = ReturnType<typeof JSON.parse>;

describe('the time of an answer', () => {
  const sources = new GivenRecords();
  let first: RunningApp;
  let second: RunningApp;
  let held: HeldCommits;
  beforeAll(async () => {
    first = await startApp(settings, [RatesModule], sources);
    second = await startApp({ ...settings, databaseUrl: first.databaseUrl }, [RatesModule], sources);
    held = await HeldCommits.over(first.databaseUrl);
  });
  afterAll(async () => {
    await held.close();
    await second.close();
    await first.close();
  });

  const statement = async (key: string, query = ''): Promise<Body> => {
    const { status, body } = await api(first.url, key).get(`/reconciliation${query}`);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data;
  };

  it('is one before a change that is written and not committed', async () => {
    const books = await busyBooks(first, sources);
    await statement(books.key);
    const [changed, answered] = await held.during(
      () => books.change(second, 3, 1),
      () => statement(books.key),
    );
    expect(changed.status).toBe(200);
    expect(answered.complete).toBe(true);
    const again = await statement(books.key, `?as_of=${answered.as_of}`);
    expect(again).toEqual(answered);
    expect((await statement(books.key)).digest).not.toBe(answered.digest);
  });

  it('is one before a rate that is written and not committed', async () => {
    const books = await busyBooks(first, sources);
    const before = await statement(books.key, '?currency=JPY');
    expect(before.missing_rates).toEqual(['USD']);
    const rates = second.app.get(ExchangeRatesService, { strict: false });
    const [, answered] = await held.during(
      () => rates.set(books.customerId, { from: 'USD', to: 'JPY', rate: '150' }),
      () => statement(books.key, '?currency=JPY'),
    );
    expect(answered.complete).toBe(true);
    expect(await statement(books.key, `?currency=JPY&as_of=${answered.as_of}`)).toEqual(answered);
    expect((await statement(books.key, '?currency=JPY')).missing_rates).toEqual([]);
  });

  it('is the present one while nothing is being written, to the microsecond', async () => {
    const books = await busyBooks(first, sources);
    const before = Date.now();
    const { as_of: asOf } = await statement(books.key);
    expect(asOf).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(asOf) - before)).toBeLessThan(20_000);
    expect((await statement(books.key, `?as_of=${asOf}`)).as_of).toBe(asOf);
  });

  it.each([['/reconciliation'], ['object']])(
    'that a caller names is waited for until its changes are committed: %s',
    async (path) => {
      const books = await busyBooks(first, sources);
      await statement(books.key);
      const client = api(first.url, books.key);
      const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
      const target = path === 'object' ? `/objects/${body.data[3].canonical_id}` : path;
      let early: Promise<Body> | undefined;
      let asOf = '';
      await held.during(
        () => books.change(second, 3, 1),
        async () => {
          asOf = new Date().toISOString();
          // What is not answered before the commit must be answered as it will be after it.
          early = client.get(`${target}?as_of=${asOf}`);
          await Promise.race([early, client.get('/connections')]);
        },
      );
      const late = await client.get(`${target}?as_of=${asOf}`);
      expect((await early).body).toEqual(late.body);
      expect(late.status).toBe(200);
    },
  );

  it.each([['/reconciliation'], ['object']])(
    'that is in the future when a caller names it is refused, however late it is looked at: %s',
    async (path) => {
      const books = await busyBooks(first, sources);
      await statement(books.key);
      const client = api(first.url, books.key);
      const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
      const target = path === 'object' ? `/objects/${body.data[3].canonical_id}` : path;
      const unitOfWork = first.app.get(UnitOfWork);
      const run = unitOfWork.runFor.bind(unitOfWork);
      const ahead = 3_000;
      const reads = jest.spyOn(unitOfWork, 'runFor');
      reads.mockImplementation(async (customerId, work, options) => {
        if (options?.isolation !== undefined) await sleep(ahead);
        return run(customerId, work, options);
      });
      try {
        const [, early] = await held.during(
          () => books.change(second, 3, 1),
          () => client.get(`${target}?as_of=${new Date(Date.now() + ahead).toISOString()}`),
        );
        expect(early).toMatchObject({
          status: 400,
          body: { error: { message: expect.stringContaining('as_of must not lie in the future') } },
        });
      } finally {
        reads.mockRestore();
      }
    },
  );

  it('gives every complete statement again, despite concurrent writes', async () => {
    const done = await reproduceStatements([first, second], sources, 8);
    expect(done.complete).toBeGreaterThanOrEqual(8);
    expect(done.differing).toEqual([]);
  }, 120_000);
});
