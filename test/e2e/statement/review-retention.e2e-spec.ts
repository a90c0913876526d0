import { ReviewRetention } from '../../../src/reconciliation/reviews/review-retention';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

describe('what people said about cases', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('goes with history, also where no refresh has followed since', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '1.00', check_number: 'CHK-1' }),
      record('payment', { id: 2, amount: '2.00', check_number: 'CHK-2' }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) {
      if (platform === 'platform_b') sources.give(customerId, platform, []);
      await connect(client, platform);
    }
    const { body } = await client.get('/reconciliation/cases');
    const [one, other] = body.data as readonly { readonly id: string }[];
    const assign = (id: string | undefined, owner: string) =>
      client.send('PATCH', `/reconciliation/cases/${id}`, { body: { owner } });
    for (const owner of ['Amira', 'Badr']) {
      expect((await assign(one?.id, owner)).status).toBe(200);
    }
    for (const { id } of body.data) {
      const note = { text: 'Looked at', written_by: 'Amira' };
      expect((await client.post(`/reconciliation/cases/${id}/notes`, note)).status).toBe(200);
    }
    expect((await assign(other?.id, 'Badr')).status).toBe(200);
    // A release from before closed cases were kept left no trace of this one.
    await stored.query(
      `delete from comparison_cases where customer_id = '${customerId}' and id = '${other?.id}'`,
    );
    await stored.query(`delete from comparison_marks where customer_id = '${customerId}'`);
    const rows = async (table: string) => {
      const found = await stored.query<{ case_id: string }>(
        `select case_id from ${table} where customer_id = '${customerId}'`,
      );
      return found.map(({ case_id: id }) => id).toSorted();
    };
    expect(await rows('case_reviews')).toHaveLength(3);
    expect(await rows('case_notes')).toHaveLength(2);
    await service.app.get(ReviewRetention, { strict: false }).purge(new Date(Date.now() + 60_000));
    expect(await rows('case_reviews')).toEqual([one?.id]);
    expect(await rows('case_notes')).toEqual([one?.id]);
    const { body: read } = await client.get(`/reconciliation/cases/${one?.id}`);
    expect(read.data).toMatchObject({ owner: 'Badr', state: 'open' });
  });
});
