import type { ApiResponse } from '../../support/app/api';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import type { Platform } from '../../support/customers/portfolio';
import { ON_A } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

describe('the version that a change answers', () => {
  let service: FarService;
  beforeAll(async () => {
    service = await startFarService();
    service.waitFor(0);
  });
  afterAll(() => service.close());

  async function open(...far: readonly Platform[]) {
    const customer = await service.open(...far);
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    const change = (data: object, headers: Record<string, string> = {}, more: object = {}) =>
      customer.client.post(
        '/propagate',
        { format: 'canonical', entity_type: 'payment', canonical_id: id, data, ...more },
        headers,
      );
    return { customer, id, change };
  }

  /** All reads of the object say the version, and a writer who knows it may write. */
  async function expectRead(customer: FarCustomer, id: string, version: string): Promise<void> {
    const one = await customer.client.get(`/objects/${id}`);
    // A write that is open gives the tag a suffix.
    expect(one.headers.get('ETag')).toMatch(new RegExp(`^"${version}(?:-[\\w-]{22})?"$`));
    expect(one.body.data.version).toBe(version);
    for (const platform of ['platform_a', 'platform_b'] as const) {
      const { body } = await customer.client.get(
        `/objects?platform=${platform}&entity_type=payment&canonical_id=${id}`,
      );
      expect([platform, body.data[0].version]).toEqual([platform, version]);
    }
    const tried = await customer.client.post(
      '/propagate',
      {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: id,
        data: { notes: 'tried' },
        dry_run: true,
      },
      { 'If-Match': `"${version}"` },
    );
    expect([tried.status, tried.body.data?.canonical.version]).toEqual([200, version]);
  }

  const agree = async (customer: FarCustomer, order: readonly Platform[], rate: string): Promise<void> => {
    await customer.sql(
      `insert into customer_terms (customer_id, kind, name, value, since)
       values ($1, 'precedence', 'payment.amount', $2, clock_timestamp())`,
      [customer.customerId, JSON.stringify(order)],
    );
    await customer.sql(
      `insert into exchange_rates (customer_id, from_currency, to_currency, rate, set_at)
       values ($1, 'USD', 'QAR', $2, clock_timestamp())`,
      [customer.customerId, rate],
    );
  };

  const money = (amount: number) => ({ amount: { amount, currency: 'USD' } });

  it.each<[string, readonly Platform[]]>([
    ['sandboxes', []],
    ['one platform that is far away', ['platform_b']],
    ['two platforms that are far away', ['platform_a', 'platform_b']],
  ])('is what is read next, with terms of the customer and without: %s', async (_, far) => {
    const { customer, id, change } = await open(...far);
    const { opened, open: release } = latchUntilClose();
    for (const platform of far)
      customer.far[platform].reactions.push(async (command, there) => {
        await opened;
        return { status: 'applied', payload: there.take(command) };
      });
    const first = await change({ notes: 'first', ...money(150_000_000) });
    expect(first.status).toBe(200);
    await expectRead(customer, id, first.body.data.canonical.version);
    await agree(customer, ['platform_b', 'platform_a'], '3.7');
    const second = await change({ notes: 'second' });
    await expectRead(customer, id, second.body.data.canonical.version);
    release();
    await customer.decided();
    for (const { body } of [first, second]) {
      const { canonical } = await customer.propagation(body.data.propagation_id);
      await expectRead(customer, id, canonical.version);
    }
    const third = await change(money(140_000_000));
    expect(third.status).toBe(200);
    await customer.decided();
    const { canonical } = await customer.propagation(third.body.data.propagation_id);
    await expectRead(customer, id, canonical.version);
  });

  it('is another one when the platform rejects the change, and that of before', async () => {
    const { customer, id, change } = await open('platform_a', 'platform_b');
    const { body } = await change({ notes: 'x' }, {}, { dry_run: true });
    const { version: before } = body.data.canonical;
    customer.far.platform_a.reactions.push({ reject: 'The period is closed' });
    const answer: ApiResponse = await change({ notes: 'not taken' });
    await customer.decided();
    expect(answer.body.data.canonical.version).not.toBe(before);
    const { canonical } = await customer.propagation(answer.body.data.propagation_id);
    expect(canonical.version).toBe(before);
    await expectRead(customer, id, before);
  });
});
