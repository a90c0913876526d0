/** @jest-environment node */
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

let mockReading = 1;
jest.mock('../../../src/records/platform-records/record-digest', () => {
  const actual: object = jest.requireActual('../../../src/records/platform-records/record-digest');
  return Object.defineProperty({ ...actual }, 'READING_VERSION', { get: () => mockReading });
});

describe('The books of a time before an upgrade', () => {
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

  it('are those that were known then, without comparing anew, so that a review finds what was prepared', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const amounts = ['10.00', '20.00'];
    sources.give(
      customerId,
      'platform_a',
      amounts.map((amount, at) => record('payment', { id: at + 1, amount, check_number: `CHK-${at}` })),
    );
    await connect(client, 'platform_a');
    const give = async (amount: number): Promise<void> => {
      sources.give(customerId, 'platform_b', [
        record('payment', {
          id: 'b1',
          amount,
          currencyCode: 'USD',
          externalDocumentNumber: 'CHK-0',
        }),
      ]);
      await connect(client, 'platform_b');
    };
    await give(-11);
    const said = (await client.get('/reconciliation')).body.data;
    expect(said).toMatchObject({ complete: true });
    const signing = { as_of: said.as_of, digest: said.digest, currency: said.currency };
    const prepared = await client.post('/reconciliation/signoffs', {
      ...signing,
      role: 'prepared',
      signed_by: 'Ada',
    });
    expect(prepared.status).toBe(200);

    // Another refresh follows before the upgrade, so the next one behind it tells nothing of that time.
    const statement = async () => (await client.get('/reconciliation')).body.data;
    await give(-12);
    const later = await statement();
    expect(later.types).not.toEqual(said.types);
    mockReading += 1;
    const [before] = await stored.query<{ fingerprint: string }>(
      'select fingerprint from comparison_states where customer_id = $1',
      [customerId],
    );
    const now = await statement();
    const [after] = await stored.query<{ fingerprint: string }>(
      'select fingerprint from comparison_states where customer_id = $1',
      [customerId],
    );
    expect(after).not.toEqual(before);
    expect(now.types).toEqual(later.types);

    const times = service.app.get(StatementTimes, { strict: false });
    times.past = -1;
    try {
      const then = await client.get(`/reconciliation?as_of=${said.as_of}`);
      expect(then.body.data).toEqual(said);
      const reviewed = await client.post('/reconciliation/signoffs', {
        ...signing,
        role: 'reviewed',
        signed_by: 'Bob',
      });
      expect([reviewed.status, reviewed.body.data?.current]).toEqual([200, false]);
    } finally {
      times.past = new StatementTimes().past;
    }
  });
});
