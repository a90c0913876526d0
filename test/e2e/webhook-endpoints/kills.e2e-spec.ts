import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/api';
import { feedOf, type FeedEvent } from '../../support/feed';
import { servicesToKill } from '../../support/services-to-kill';
import { isVerified, startReceiver } from '../../support/webhook-receiver';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(240_000);

const payments = ['1823456', '1823502', '1823517', '1823588'];

describe('deliveries, while instances and the receiver are killed', () => {
  const services = servicesToKill();

  it('reach the receiver, each at least once, and those of an object in their order', async () => {
    const env = {
      CREDENTIALS_KEYS: keysSetting(masterKey('hooks')),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    const calm = await services.start({ env });
    const customer = await services.open(calm);
    const loaded = (await feedOf(customer.client)).length;
    const receiver = await startReceiver();
    const made = await customer.client.post('/webhook-endpoints', { url: receiver.url });
    const { id, secret } = made.body.data as { id: string; secret: string };
    let [number, came] = [0, 0];
    receiver.answer((response) => {
      came += 1;
      response.writeHead(came % 7 === 0 ? 503 : 200).end();
    });
    for (const delay of [300, 900]) {
      const killed = await services.start({ env });
      const clients = [calm, killed].map(({ url }) => api(url, customer.key));
      let isOver = false;
      const write = async (client: ReturnType<typeof api>, payment: string): Promise<void> => {
        while (!isOver && number < 60) {
          number += 1;
          const data = { notes: `step ${number}` };
          const change = { format: 'platform', platform: 'platform_a', entity_type: 'payment', data };
          if (!(await client.post('/propagate', { ...change, platform_id: payment }).catch(() => undefined)))
            return;
        }
      };
      const work = payments.flatMap((payment) => clients.map((client) => write(client, payment)));
      while (number < 8) await sleep(10);
      await sleep(delay);
      await Promise.all([killed.kill(), receiver.restart()]);
      isOver = true;
      await Promise.all(work);
    }
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
        `update webhook_endpoints set retry_at = now(), leased_until = least(leased_until, now() + interval '3 seconds')
         where customer_id = $1 and retry_at > now()`,
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
  });
});
