import { setTimeout as delay } from 'node:timers/promises';
import { FieldReader } from '../../../src/terms/own-fields/field-reader';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { FeedReader } from '../../support/customers/feed';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { until } from '../../support/live/live-work';
import { compareSoon } from '../../support/app/short-waits';
import { StoredRecords } from '../../support/database/stored-records';

/** More than a page on each platform. */
const COUNT = 210;

describe('the reading of stored records for a field of one’s own', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    compareSoon(service.app);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** Gives the reader some time, and lets it look at once for what is left. */
  const lookAgain = async () => {
    service.app.get(FieldReader, { strict: false }).wake();
    await delay(20);
  };

  it('passes every record of the type on both platforms once, and counts what is there', async () => {
    const { key, customerId } = await service.issueKey('live');
    const client = api(service.url, key);
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    const valueOf = (number: number) =>
      number % 3 === 0 ? `2026-01-0${(number % 9) + 1}` : number % 3 === 1 ? '' : 'soon';
    sources.give(customerId, 'platform_a', [
      record('project', { id: 1, name: 'Tower', accepted: '2026-01-01' }),
      ...numbers.map((id) => record('payment', { id, check_number: `CHK-${id}`, accepted: valueOf(id) })),
    ]);
    sources.give(
      customerId,
      'platform_b',
      numbers.map((id) =>
        record('payment', { id: `b-${id}`, externalDocumentNumber: `CHK-${id}`, acceptedOn: valueOf(id) }),
      ),
    );
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
    const field = {
      codec: 'date',
      platforms: { platform_a: { path: 'accepted' }, platform_b: { path: 'acceptedOn' } },
    };
    const defined = (await client.send('PUT', '/fields/payment/accepted', { body: field })).body.data;
    expect(defined.records).toMatchObject({ total: 2 * COUNT });
    let [shown] = (await client.get('/fields')).body.data;
    while (shown.status === 'reading') {
      expect(shown.records.read).toBeLessThanOrEqual(2 * COUNT);
      await lookAgain();
      [shown] = (await client.get('/fields')).body.data;
    }
    const third = COUNT / 3;
    expect(shown).toMatchObject({
      status: 'ready',
      records: { total: 2 * COUNT, read: 2 * COUNT, filled: 2 * third, unreadable: 2 * third },
    });
  });

  it('is told once for each definition and removal, and not before the comparisons follow', async () => {
    const { key, customerId } = await service.issueKey('live');
    const client = api(service.url, key);
    const place = { path: 'acceptedBy' };
    sources.give(customerId, 'platform_a', [
      record('project', { id: 1, name: 'Tower', acceptedBy: 'Mariam' }),
      record('project', { id: 2, name: 'Annex' }),
    ]);
    await client.post('/connect', { platform: 'platform_a' });
    const reader = new FeedReader({ type: 'field.ready' });
    const statuses = async () =>
      (await client.get('/fields')).body.data.map(({ status }: { status: string }) => status);
    const becomesReady = async () => {
      let told = await reader.read(client);
      while ((await statuses()).includes('reading')) {
        expect(told).toEqual([]);
        await lookAgain();
        told = await reader.read(client);
      }
      told = [...told, ...(await reader.read(client))];
      expect(told).toHaveLength(1);
      return told[0]?.data;
    };
    /** One reading after the other: where a second field of another customer is ready, a look has passed this one by. */
    const looksGoBy = async () => {
      const other = api(service.url, (await service.issueKey('live')).key);
      for (const name of ['first', 'second']) {
        await other.send('PUT', `/fields/project/${name}`, {
          body: { codec: 'text', platforms: { platform_a: place } },
        });
        while (
          ((await other.get('/fields')).body.data as { status: string }[]).some(
            ({ status }) => status !== 'ready',
          )
        )
          await lookAgain();
      }
    };
    // As a refresh leaves it that has not come to its end. One that is under way would remove it at its end.
    const hold = async () => {
      await until('comparisons follow', async () => {
        const due = await stored.query('select 1 from due_comparisons where customer_id = $1', [customerId]);
        return due.length === 0;
      });
      await stored.query(
        `insert into due_comparisons (customer_id, id, since, due_at, taken)
         values ($1, gen_random_uuid(), '2026-01-01', 'infinity', true)`,
        [customerId],
      );
    };
    await hold();
    const field = { codec: 'text', platforms: { platform_a: place } };
    const [path, event] = ['/fields/project/accepted_by', { entity_type: 'project', name: 'accepted_by' }];
    const defined = (await client.send('PUT', path, { body: field })).body.data;
    for (;;) {
      const [shown] = (await client.get('/fields')).body.data;
      expect(shown.status).toBe('reading');
      if (shown.records.read === 2) break;
      await lookAgain();
    }
    await looksGoBy();
    expect(await statuses()).toEqual(['reading']);
    expect(await reader.read(client)).toEqual([]);

    await stored.query('delete from due_comparisons where customer_id = $1', [customerId]);
    expect(await becomesReady()).toEqual({
      ...event,
      field: 'custom.accepted_by',
      removed: false,
      since: defined.since,
      records: { total: 2, read: 2, filled: 1, unreadable: 0 },
    });
    await hold();
    expect(await statuses()).toEqual(['ready']);
    await stored.query('delete from due_comparisons where customer_id = $1', [customerId]);

    await client.send('PUT', path, { body: { ...field, codec: 'date' } });
    expect(await becomesReady()).toMatchObject({
      ...event,
      removed: false,
      records: { filled: 0, unreadable: 1 },
    });
    await client.send('DELETE', path, { body: {} });
    expect(await becomesReady()).toMatchObject({ ...event, removed: true, records: { filled: 0 } });
    expect(await statuses()).toEqual([]);
  });
});
