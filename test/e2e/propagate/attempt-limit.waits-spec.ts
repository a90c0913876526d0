import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { LEASE_MS } from '../../../src/outbox/command/stored/commands.repository';
import { collectGarbage } from '../../support/this-process/collect-garbage';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';

jest.setTimeout(120_000);

describe('an attempt at a platform that never answers', () => {
  let service: FarService;
  beforeAll(async () => {
    service = await startFarService();
    service.waitFor(0);
  });
  afterEach(() => jest.restoreAllMocks());
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

  it('ends 25 s after its stored beginning, also when it has waited for a lock before it was sent', async () => {
    const customer = await service.open('platform_b');
    await change(customer, 'goes before');
    await customer.decided();
    const [before] = await customer.commands();
    customer.far.platform_b.reactions.push({ deferFor: 3_600_000 });
    await change(customer, 'waits for what it refers to');
    await customer.until(async () => {
      const [, later] = await customer.commands();
      return later?.status === 'waiting' && later.attempts === 1;
    });
    const unitOfWork = service.app.app.get(UnitOfWork, { strict: false });
    const runFor = unitOfWork.runFor.bind(unitOfWork);
    jest.spyOn(unitOfWork, 'runFor').mockImplementation(async (id, work, options) => {
      if (options?.lockWaitMs === LEASE_MS / 2) await sleep(8_000);
      return runFor(id, work, options);
    });
    const ended = nextAttempt(customer);
    await customer.sql(
      `update outbox_commands set waits_for = array[$2::uuid], not_before = now()
       where customer_id = $1 and decided_at is null`,
      [customer.customerId, before?.id],
    );
    expect(await ended).toBeLessThan(28);
  });
});
