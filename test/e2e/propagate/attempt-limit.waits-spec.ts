import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../../support/collect-garbage';
import { startFarService, type FarCustomer, type FarService } from '../../support/far-customer';

jest.setTimeout(120_000);

describe('an attempt at a platform that never answers', () => {
  let service: FarService;
  beforeAll(async () => {
    service = await startFarService();
    service.waitFor(0);
  });
  afterAll(() => service.close());

  const change = async (customer: FarCustomer, notes: string) => {
    const { canonical_id: id } = await customer.find('platform_a', 'payment', '1823456');
    return customer.canonical('payment', id, { notes });
  };

  /** Seconds from the stored beginning of the next attempt to its end. */
  const nextAttempt = (customer: FarCustomer): Promise<number> => {
    const { platform_b: far } = customer.far;
    far.delay = 600_000;
    return new Promise((resolve) => {
      far.reactions.push(async () => {
        far.delay = 0;
        const [row] = await customer.sql<{ seconds: number }>(
          `select extract(epoch from clock_timestamp() - sent_at)::float8 as seconds from outbox_commands
           where customer_id = $1 and decided_at is null`,
          [customer.customerId],
        );
        resolve(row?.seconds ?? NaN);
        return { status: 'uncertain' };
      });
    });
  };

  it('ends after 25 s, also when garbage is collected meanwhile', async () => {
    const customer = await service.open('platform_b');
    const ended = nextAttempt(customer);
    await change(customer, 'nobody answers');
    for (let times = 0; times < 5; times += 1) {
      await sleep(500);
      collectGarbage();
    }
    const seconds = await ended;
    expect(seconds).toBeGreaterThan(24);
    expect(seconds).toBeLessThan(30);
  });
});
