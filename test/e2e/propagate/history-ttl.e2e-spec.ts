import { Client } from 'pg';
import { HistoryRetention } from '../../../src/outbox/history-retention';
import { startApp, type RunningApp } from '../../support/app/app';
import { portfolioOf, type Portfolio, ON_A } from '../../support/customers/portfolio';

const DAY = 24 * 3_600_000;

describe('HISTORY_TTL', () => {
  let app: RunningApp;
  let database: Client;
  let portfolio: Portfolio;
  beforeAll(async () => {
    app = await startApp({ historyTtlMs: 30 * DAY });
    database = new Client({ connectionString: app.databaseUrl });
    await database.connect();
    portfolio = portfolioOf(app.url, await app.openSession(), database);
    await portfolio.connect('platform_a');
  });
  afterAll(async () => {
    await database.end();
    await app.close();
  });
  const age = (days: number) =>
    portfolio.sql(
      `update propagations set created_at = now() - $2 * interval '1 day', decided_at = now() - $2 * interval '1 day'
       where customer_id = $1`,
      [portfolio.customerId, days],
    );

  it('says how long the history of a change is kept', async () => {
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'one' });
    await age(29);
    await app.app.get(HistoryRetention, { strict: false }).purge();
    expect(await portfolio.accounts()).toHaveLength(1);
    await age(31);
    await app.app.get(HistoryRetention, { strict: false }).purge();
    expect(await portfolio.accounts()).toEqual([]);
  });
});
