import { Client } from 'pg';
import { EventRetention } from '../../../src/events/event-retention';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { FeedReader, feedOf } from '../../support/customers/feed';
import { portfolioOf, type Portfolio, ON_A } from '../../support/customers/portfolio';

const DAY = 24 * 3_600_000;

describe('events', () => {
  let app: RunningApp;
  let database: Client;
  let portfolio: Portfolio;
  beforeAll(async () => {
    app = await startApp({ historyTtlMs: 30 * DAY });
    database = new Client({ connectionString: app.databaseUrl });
    await database.connect();
  });
  beforeEach(async () => {
    portfolio = portfolioOf(app.url, await app.openSession(), database);
    await portfolio.connect('platform_a');
  });
  afterAll(async () => {
    await database.end();
    await app.close();
  });
  const age = (days: number) =>
    portfolio.sql(`update events set at = at - $2 * interval '1 day' where customer_id = $1`, [
      portfolio.customerId,
      days,
    ]);
  const purge = () => app.app.get(EventRetention, { strict: false }).purge();
  const stored = () =>
    portfolio.sql<{ sequence: string | null }>(
      'select sequence from events where customer_id = $1 order by sequence nulls last',
      [portfolio.customerId],
    );

  it('are kept as long as history, and a reader is told that it has missed some', async () => {
    const { body } = await portfolio.client.get('/events?limit=1');
    const reader = new FeedReader();
    await reader.read(portfolio.client);
    await age(29);
    await purge();
    expect(await feedOf(portfolio.client)).toHaveLength(reader.events.length);
    await age(2);
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'young' });
    const behind = `/events?limit=1&cursor=${body.next_cursor as string}`;
    // What is old enough counts as removed before it is.
    for (const removal of [() => Promise.resolve(), purge]) {
      await removal();
      expectError(await portfolio.client.get(behind), 404, 'NOT_FOUND');
      const kept = await feedOf(portfolio.client);
      expect(kept.map(({ type }) => type)).toEqual(['object.changed', 'propagation.settled']);
      expect(kept[0]?.sequence).toBe(reader.events.length + 1);
    }
    expect((await reader.read(portfolio.client)).map(({ type }) => type)).toEqual([
      'object.changed',
      'propagation.settled',
    ]);
    expect(await stored()).toHaveLength(2);
  });

  it('that nobody has read get their numbers before they go', async () => {
    const reader = new FeedReader();
    await reader.read(portfolio.client);
    const last = reader.events.length;
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'unread' });
    await age(31);
    await purge();
    expect(await stored()).toEqual([]);
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'later' });
    const [event] = await feedOf(portfolio.client);
    expect(event?.sequence).toBe(last + 3);
  });

  it('are deleted in the order of their numbers, so that no reader misses one without being told', async () => {
    const reader = new FeedReader();
    await reader.read(portfolio.client);
    const numbers = reader.events.map(({ sequence }) => sequence);
    // A cause took its time early, and was committed behind younger ones.
    const late = numbers.length - 3;
    await portfolio.sql(
      `update events set at = at - interval '31 days' where customer_id = $1 and (sequence = $2 or sequence <= 2)`,
      [portfolio.customerId, late],
    );
    await purge();
    expect((await feedOf(portfolio.client)).map(({ sequence }) => sequence)).toEqual(numbers.slice(2));
    await age(31);
    await purge();
    expect(await stored()).toEqual([]);
  });

  it('go with their customer', async () => {
    expect((await stored()).length).toBeGreaterThan(0);
    expect((await portfolio.client.send('DELETE', '/demo/session', { body: {} })).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});
