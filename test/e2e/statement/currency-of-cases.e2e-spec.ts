import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

describe('the figures of cases', () => {
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

  /** 100 USD on platform_a, not connected yet; the same payment and one of 36.40 QAR on platform_b, which is in QAR. */
  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const onB = (id: string, amount: number) =>
      record('payment', { id, externalDocumentNumber: `CHK-${id}`, amount, currencyCode: 'QAR' });
    sources.give(customerId, a, [record('payment', { id: 1, check_number: 'CHK-1', amount: '100.00' })]);
    sources.give(customerId, b, [onB('1', -364), onB('2', -36.4)], { currency: 'QAR' });
    await connect(client, b);
    const list = async (query = ''): Promise<Body[]> => {
      const { status, body } = await client.get(`/reconciliation/cases?sort=amount${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data.map(({ id, label, difference, amounts }: Body) => ({
        id,
        label,
        difference,
        amounts,
      }));
    };
    const before = await list();
    expect(before.map(({ difference }) => difference)).toEqual([
      { amount: 36_400, currency: 'QAR' },
      { amount: 3_640, currency: 'QAR' },
    ]);
    return { client, customerId, list, before };
  }

  it('stay in the currency that they had when the cases were closed', async () => {
    const { client, list, before } = await open();
    const asOf: string = (await client.get('/reconciliation')).body.data.as_of;
    await connect(client, a);
    expect((await list()).map(({ difference }) => difference)).toEqual([{ amount: 1_000, currency: 'USD' }]);
    const [closed] = await list('&state=closed');
    expect(closed).toEqual(before[0]);
    const { body } = await client.get(`/reconciliation/cases/${closed.id}`);
    expect(body.data).toMatchObject(before[0]);
    expect(await list(`&as_of=${asOf}`)).toEqual(before);
    const later: string = (await client.get('/reconciliation')).body.data.as_of;
    expect(await list(`&as_of=${later}&state=closed`)).toEqual([before[0]]);
  });

  it('say their currency while the comparisons do not follow another one yet', async () => {
    const { client, customerId, list, before } = await open();
    const times = service.app.get(StatementTimes, { strict: false });
    const holdBy = (owner: string) =>
      stored.query(
        `update comparison_states set lease_owner = ${owner}, lease_until = now() + interval '1 hour' where customer_id = $1`,
        [customerId],
      );
    try {
      times.wait = 50;
      await holdBy('gen_random_uuid()');
      await connect(client, a);
      expect(await list()).toEqual(before);
    } finally {
      await holdBy('null');
      times.wait = new StatementTimes().wait;
    }
    expect((await list()).map(({ difference }) => difference)).toEqual([{ amount: 1_000, currency: 'USD' }]);
  });
});
