import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { api } from '../../support/app/api';
import { startApp } from '../../support/app/app';
import { feedOf, type FeedEvent } from '../../support/customers/feed';
import { portfolios } from '../../support/customers/portfolio';
import { startServiceProcess } from '../../support/processes/service-process';
import { isVerified, startReceiver } from '../../support/http/webhook-receiver';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(240_000);

const payments = ['1823456', '1823502', '1823517', '1823588'];

describe('deliveries, while an instance and the receiver are killed', () => {
  it('reach the receiver, each at least once, and those of an object in their order', async () => {
    const key = masterKey('hooks');
    const calm = await startApp({ credentialsKeys: [key], webhookAllowedNetworks: ['127.0.0.0/8'] });
    const times = calm.app.get(DeliveryTimes, { strict: false });
    // Its lease tells its claims from those of the instance that is killed.
    times.lease += 1_000;
    const all = await portfolios(calm);
    const customer = await all.connect();
    const killed = await startServiceProcess(calm.databaseUrl, {
      env: { CREDENTIALS_KEYS: keysSetting(key), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    });
    const loaded = (await feedOf(customer.client)).length;
    const receiver = await startReceiver();
    const made = await customer.client.post('/webhook-endpoints', { url: receiver.url });
    const { id, secret } = made.body.data as { id: string; secret: string };
    let [number, came] = [0, 0];
    receiver.answer((response) => {
      came += 1;
      response.writeHead(came % 7 === 0 ? 503 : 200).end();
    });
    const clients = [calm, killed].map(({ url }) => api(url, customer.key));
    const write = async (client: ReturnType<typeof api>, payment: string): Promise<void> => {
      while (number < 40) {
        number += 1;
        const data = { notes: `step ${number}` };
        const change = { format: 'platform', platform: 'platform_a', entity_type: 'payment', data };
        if (!(await client.post('/propagate', { ...change, platform_id: payment }).catch(() => undefined)))
          return;
      }
    };
    const work = payments.flatMap((payment) => clients.map((client) => write(client, payment)));
    // The receiver goes away alone, and then together with an instance.
    while (came < 5) await sleep(10);
    await receiver.restart();
    while (came < 12) await sleep(10);
    await Promise.all([killed.kill(), receiver.restart()]);
    await Promise.all(work);
    // Until then both look equally often.
    times.poll = 50;
    // What the killed instance had claimed is free now, not when its lease ends.
    await customer.sql(
      `update webhook_endpoints set leased_until = now()
       where customer_id = $1 and id = $2 and leased_until = worked_at + $3 * interval '1 millisecond'`,
      [customer.customerId, id, new DeliveryTimes().lease],
    );
    const events = (await feedOf(customer.client)).slice(loaded);
    const missing = (): readonly FeedEvent[] => {
      const ids = new Set(receiver.deliveries.map(({ event }) => event.id));
      return events.filter((event) => !ids.has(event.id));
    };
    while (missing().length > 0) {
      await customer.sql(
        `update webhook_deliveries set next_at = now() where customer_id = $1 and endpoint_id = $2 and next_at > now()`,
        [customer.customerId, id],
      );
      await customer.sql(
        'update webhook_endpoints set retry_at = now() where customer_id = $1 and retry_at > now()',
        [customer.customerId],
      );
      await sleep(50);
    }
    expect(receiver.deliveries.every((delivery) => isVerified(secret, delivery))).toBe(true);
    const firsts = new Map(receiver.deliveries.toReversed().map(({ event }) => [event.id, event]));
    const inOrder = receiver.deliveries
      .map(({ event }) => event)
      .filter((event, place, all) => {
        return all.findIndex((other) => other.id === event.id) === place;
      });
    expect(firsts.size).toBe(events.length);
    for (const object of new Set(inOrder.map(({ data }) => data.canonical_id))) {
      const own = inOrder.filter(({ data }) => data.canonical_id === object).map(({ sequence }) => sequence);
      if (object !== undefined) expect(own).toEqual(own.toSorted((one, other) => one - other));
    }
    await receiver.close();
    await all.close();
    await calm.close();
  });
});
