import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { migratedDatabase } from '../../support/database/database';
import { startApp } from '../../support/app/app';
import { portfolios } from '../../support/customers/portfolio';
import { startReceiver } from '../../support/http/webhook-receiver';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const HOUR = 3_600_000;

describe('An instance that waits for a receiver that does not answer', () => {
  it('stops all the same, and leaves the event to the next one', async () => {
    const database = await migratedDatabase();
    const receiver = await startReceiver();
    const settings = {
      databaseUrl: database.url,
      credentialsKeys: [masterKey('hooks')],
      webhookAllowedNetworks: ['127.0.0.0/8'],
    };
    const first = await startApp(settings);
    // It gives its place back at once, and waits without one.
    Object.assign(first.app.get(DeliveryTimes, { strict: false }), { poll: 20, patience: 0, attempt: HOUR });
    receiver.answer(() => undefined);
    const all = await portfolios(first);
    const customer = await all.connect();
    await customer.client.post('/webhook-endpoints', { url: receiver.url, types: ['propagation.settled'] });
    await customer.native('platform_a', 'payment', '1823456', { notes: 'To be delivered' });
    await receiver.until(1);
    await sleep(20);
    await all.close();
    await first.close();
    receiver.answer((response) => response.writeHead(204).end());
    const second = await startApp(settings);
    await receiver.until(2);
    const [before, after] = receiver.deliveries.map(({ event }) => event);
    expect(after).toEqual(before);
    await second.close();
    await receiver.close();
    await database.drop();
  });
});
