import { VersionRetention } from '../../../src/objects/history/version-retention';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(300_000);

type Body = ReturnType<typeof JSON.parse>;

const contract = (currency: string) =>
  record(
    'contract',
    { id: 1, number: 'C-1', grand_total: '500.00', currency_configuration: { currency_iso_code: currency } },
    'WorkOrderContract',
  );
const payment = record('payment', { id: 7, check_number: 'K-7', amount: '100.00', contract_id: 1 });

describe('a statement of the first moments of the kept history', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    service.app.get(StatementTimes, { strict: false }).wait = 60_000;
  });
  afterAll(() => service.close());

  it('does not take comparisons from before a change that is not known any more', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_b', []);
    await connect(client, 'platform_b');
    sources.give(customerId, 'platform_a', [contract('USD'), payment]);
    await connect(client, 'platform_a');
    expect((await client.get('/reconciliation')).body.data.complete).toBe(true);
    // Between this refresh and the next, the payment comes into the currency of its contract, and terms change.
    sources.give(customerId, 'platform_a', [contract('AED'), payment]);
    await connect(client, 'platform_a');
    const then = new Date().toISOString();
    const rate = { from: 'EUR', to: 'USD', rate: '1.1' };
    expect((await client.send('PUT', '/rates', { body: rate })).status).toBe(200);
    expect((await client.get('/reconciliation')).body.data.complete).toBe(true);
    const statement = async (): Promise<Body> =>
      (await client.get(`/reconciliation?currency=USD&entity_type=payment&as_of=${then}`)).body.data;
    const known = await statement();
    expect(known.types.map(({ totals }: Body) => totals.from.sum)).toEqual([
      { amount: 2723, currency: 'USD' },
    ]);
    await service.app.get(VersionRetention, { strict: false }).purge(new Date(then));
    expect(await statement()).toEqual(known);
  });
});
