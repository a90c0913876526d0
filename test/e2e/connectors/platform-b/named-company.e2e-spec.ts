import { isJsonObject, ownMember, storedEntityTypes, type JsonObject } from '@app/mapper';
import { startLivePlatformB, textOf, type LivePlatformB } from '../../../support/live/live-platform-b';

const NAME = "D'Arcy & Söhne (Bau) 100%";

describe('a company of platform_b that is given by its name', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({ companyName: NAME }, { customPayments: false });
  });
  afterEach(() => live.close());

  const idOf = (
    table: Parameters<LivePlatformB['platform']['control']['records']>[0],
    fits = (_row: JsonObject): boolean => true,
  ) => textOf(live.platform.control.records(table).find(fits), 'id');
  const byName = () => live.choose({ companyId: NAME, customPayments: false });

  it.each(storedEntityTypes)('is read as by its ID: %s', async (type) => {
    const records = async (): Promise<unknown> => (await live.read(type)).flatMap((page) => page.records);
    const byId = await records();
    await byName();
    expect(await records()).toEqual(byId);
  });

  it('is written to: a record, a header with its line, a payment, and a new record', async () => {
    await byName();
    const customer = idOf('customers');
    const base = await live.get('customer', customer);
    expect(await live.send(live.update('customer', customer, { city: 'Lusail' }), base)).toMatchObject({
      status: 'applied',
      payload: { city: 'Lusail' },
    });
    const order = idOf(
      'salesOrders',
      (row) =>
        row['status'] === 'Draft' &&
        live.platform.control.records('salesOrderLines').filter(({ documentId }) => documentId === row['id'])
          .length === 1,
    );
    const both = { email: 'new@acme.example', totalAmountExcludingTax: 77 };
    expect(
      await live.send(live.update('contract', order, both), await live.get('contract', order)),
    ).toMatchObject({
      status: 'applied',
      payload: both,
    });
    const [page] = await live.read('payment');
    const payment = textOf(page?.records[0]?.payload, 'id');
    expect(
      await live.send(
        live.update('payment', payment, { comment: 'seen' }),
        await live.get('payment', payment),
      ),
    ).toMatchObject({
      status: 'applied',
    });
    const created = await live.send(live.create('customer', { displayName: 'A new one' }));
    expect(created.status).toBe('applied');
    const record = 'payload' in created && isJsonObject(created.payload) ? created.payload : undefined;
    expect(record && ownMember(record, 'displayName')).toBe('A new one');
  });
});
