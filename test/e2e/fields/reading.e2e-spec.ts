import { setTimeout as delay } from 'node:timers/promises';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { GivenRecords, record } from '../../support/given-records';

/** More than a page on each platform. */
const COUNT = 450;

describe('the reading of stored records for a field of one’s own', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
  });
  afterAll(() => service.close());

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
      await delay(50);
      [shown] = (await client.get('/fields')).body.data;
    }
    const third = COUNT / 3;
    expect(shown).toMatchObject({
      status: 'ready',
      records: { total: 2 * COUNT, read: 2 * COUNT, filled: 2 * third, unreadable: 2 * third },
    });
  });
});
