import { VersionRetention } from '../../../src/objects/history/version-retention';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { busyBooks } from '../../support/customers/busy-books';
import { GivenRecords } from '../../support/platforms/given-records';
import { StoredRecords } from '../../support/database/stored-records';

const settings = { propagateWaitMs: 0, logLevel: 'error' } as const;
const DAY = 24 * 3_600_000;

describe('a read of a time that retention has removed', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  /** The same database, with another setting. */
  let shorter: RunningApp;
  let longer: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ ...settings, historyTtlMs: 30 * DAY }, [], sources);
    const { databaseUrl } = service;
    shorter = await startApp({ ...settings, databaseUrl, historyTtlMs: 10 * DAY }, [], sources);
    longer = await startApp({ ...settings, databaseUrl, historyTtlMs: 0 }, [], sources);
    stored = await StoredRecords.open(databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await longer.close();
    await shorter.close();
    await service.close();
  });

  /** Books that were connected 50 days ago and changed 20 days ago. */
  const oldBooks = async () => {
    const books = await busyBooks(service, sources);
    const age = (days: number) => stored.query(`select set_config('test.days', $1, false)`, [String(days)]);
    await age(50);
    for (const [table, columns] of [
      ['changes', ['at']],
      ['platform_records', ['since']],
      ['connections', ['connected_at']],
      ['sync_runs', ['started_at', 'ended_at']],
    ] as const)
      for (const column of columns)
        await stored.query(
          `update ${table} set ${column} = ${column} - current_setting('test.days')::int * interval '1 day' where customer_id = $1`,
          [books.customerId],
        );
    await books.change(service, 3, 1);
    await stored.query(
      `update record_versions set until = until - interval '20 days' where customer_id = $1`,
      [books.customerId],
    );
    await stored.query(
      `update platform_records set since = since - interval '20 days' where customer_id = $1 and since > now() - interval '1 day'`,
      [books.customerId],
    );
    await stored.query(
      `update changes set at = at - interval '20 days' where customer_id = $1 and at > now() - interval '1 day'`,
      [books.customerId],
    );
    const { body } = await api(service.url, books.key).get(
      '/objects?platform=platform_a&entity_type=payment',
    );
    return { ...books, id: String(body.data[3].canonical_id) };
  };

  const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString();

  const ask = async (instance: RunningApp, key: string, path: string, accept = 'application/json') => {
    const response = await fetch(`${instance.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: accept },
    });
    return { status: response.status, text: await response.text() };
  };

  const paths = (id: string, time: string): readonly (readonly [path: string, accept?: string])[] => [
    [`/reconciliation?as_of=${time}`],
    [`/reconciliation?as_of=${time}`, 'text/csv'],
    [`/objects/${id}?as_of=${time}`],
    [`/objects?platform=platform_a&entity_type=payment&modified_after=${time}`],
    [`/objects?platform=platform_a&entity_type=payment&modified_after=${time}&limit=5`],
    [`/objects?platform=platform_a&entity_type=payment&as_of=${time}`, 'text/csv'],
  ];

  it('is 404 with the reason: statement, its file, single reads and listings', async () => {
    const { key, id } = await oldBooks();
    for (const purged of [false, true]) {
      if (purged) await service.app.get(VersionRetention, { strict: false }).purge(new Date(ago(30)));
      for (const [path, accept] of paths(id, ago(40))) {
        const { status, text } = await ask(service, key, path, accept);
        expect([path, status, text]).toEqual([path, 404, expect.stringContaining('History is kept since')]);
      }
      for (const [path, accept] of paths(id, ago(25))) {
        const { status } = await ask(service, key, path, accept);
        expect([path, status]).toEqual([path, 200]);
      }
    }
  });

  it('stays 404 when the setting becomes longer, and becomes 404 at once when it becomes shorter', async () => {
    const { key, id } = await oldBooks();
    // Nothing is removed yet, so a longer setting loses nothing.
    for (const [path, accept] of paths(id, ago(40)))
      expect((await ask(longer, key, path, accept)).status).toBe(200);
    await service.app.get(VersionRetention, { strict: false }).purge(new Date(ago(30)));
    for (const [path, accept] of paths(id, ago(40)))
      expect((await ask(longer, key, path, accept)).status).toBe(404);
    for (const [path, accept] of paths(id, ago(5)))
      expect((await ask(shorter, key, path, accept)).status).toBe(200);
    for (const [path, accept] of paths(id, ago(15)))
      expect((await ask(shorter, key, path, accept)).status).toBe(404);
  });

  it('succeeds for a younger customer, whose history is complete', async () => {
    const { key } = await busyBooks(service, sources);
    const { status, text } = await ask(service, key, `/reconciliation?as_of=${ago(400)}`);
    expect(status).toBe(200);
    expect(JSON.parse(text).data).toMatchObject({ complete: false });
    expect(
      (await ask(service, key, `/objects?platform=platform_a&entity_type=payment&modified_after=${ago(400)}`))
        .status,
    ).toBe(200);
  });

  it('is 404 for cursors of that time', async () => {
    const books = await oldBooks();
    const { key, id } = books;
    await books.change(service, 3, 2);
    await books.change(service, 7, 3);
    const client = api(service.url, key);
    const { body: first } = await client.get(`/objects/${id}/history?limit=1`);
    expect(first.next_cursor).not.toBeNull();
    const time = ago(28);
    const listing = '/objects?platform=platform_a&entity_type=payment&limit=1';
    expect(first.data).toHaveLength(1);
    const { body: page } = await client.get(`${listing}&modified_after=${time}`);
    await service.app.get(VersionRetention, { strict: false }).purge(new Date(ago(5)));
    const late = await client.get(`/objects/${id}/history?cursor=${first.next_cursor}`);
    expect([late.status, late.body.error?.message]).toEqual([
      404,
      expect.stringContaining('History is kept since'),
    ]);
    expect((await client.get(`/objects/${id}/history`)).status).toBe(200);
    expect(page.next_cursor).not.toBeNull();
    const more = await client.get(`${listing}&modified_after=${time}&cursor=${page.next_cursor}`);
    expect([more.status, more.body.error?.message]).toEqual([
      404,
      expect.stringContaining('History is kept since'),
    ]);
  });
});
