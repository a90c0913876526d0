import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(90_000);

// JSON escapes both; PostgreSQL refuses both when it unescapes JSON.
describe.each([
  ['a NUL character', 'a\0b'],
  ['half of a surrogate pair', 'a\ud83c'],
])('a text with %s that a platform sends', (_, text) => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
  });
  afterAll(() => service.close());

  async function open(notes: readonly [string, string]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const give = async ([onA, onB]: readonly [string, string]) => {
      sources.give(customerId, 'platform_a', [
        record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1', notes: onA }),
      ]);
      sources.give(customerId, 'platform_b', [
        record('payment', {
          id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
          amount: -10,
          currencyCode: 'USD',
          externalDocumentNumber: 'CHK-1',
          comment: onB,
        }),
      ]);
      await connect(client, 'platform_a');
      await connect(client, 'platform_b');
    };
    await give(notes);
    return { client, give };
  }

  it('is compared, and its case opens, is accepted and closes', async () => {
    const { client, give } = await open([text, 'other']);
    const { status, body } = await client.get('/reconciliation');
    expect({ status, error: body.error, reasons: body.data?.reasons }).toEqual({
      status: 200,
      error: undefined,
      reasons: [],
    });
    const { body: cases } = await client.get('/reconciliation/cases');
    expect(cases.data).toMatchObject([{ kind: 'disagreement', field: 'notes' }]);
    const accepted = await client.send('PATCH', `/reconciliation/cases/${cases.data[0].id}`, {
      body: { accepted: { reason: 'known', decided_by: 'Ada' } },
    });
    expect(accepted.status).toBe(200);
    await give(['same', 'same']);
    expect((await client.get('/reconciliation')).body.data.complete).toBe(true);
    const { body: feed } = await client.get('/events?limit=500');
    expect(feed.data.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['case.opened', 'case.accepted', 'case.closed']),
    );
  });

  it('is replaced by a change', async () => {
    const { client } = await open([text, text]);
    const { body: listed } = await client.get('/objects?platform=platform_a&entity_type=payment');
    const { status, body } = await client.post('/propagate', {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: listed.data[0].canonical_id,
      data: { notes: 'better' },
    });
    expect([status, body.data?.propagated?.platform_a?.status, body.error]).toEqual([
      200,
      'applied',
      undefined,
    ]);
    const listing = await client.get('/propagations?platform=platform_a');
    expect(listing.body.data).toMatchObject([{ state: 'settled' }]);
    const history = await client.get(`/objects/${listed.data[0].canonical_id}/history`);
    expect(history.status).toBe(200);
  });
});
