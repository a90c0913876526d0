import type { Portfolio } from '../../support/customers/portfolio';
import { platforms } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(60_000);

const payment = { a: '1823456', b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' };
const onB = ['platform_b', 'platform_a'];

describe('a precedence that was agreed with the customer', () => {
  let portfolio: Portfolio;
  portfolioForEachTest((given) => ({ portfolio } = given));

  const agree = async (name: string, order: readonly string[] | undefined): Promise<void> => {
    await portfolio.sql(
      `update customer_terms set until = clock_timestamp() where customer_id = $1 and name = $2 and until is null`,
      [portfolio.customerId, name],
    );
    if (order === undefined) return;
    await portfolio.sql(
      `insert into customer_terms (customer_id, kind, name, value, since)
       values ($1, 'precedence', $2, $3, clock_timestamp())`,
      [portfolio.customerId, name, JSON.stringify(order)],
    );
  };
  /** The canonical payment in the listings of both platforms, which have to be one. */
  const listed = async () => {
    const [first, second] = await Promise.all(
      platforms.map((platform) =>
        portfolio.find(platform, 'payment', payment[platform === 'platform_a' ? 'a' : 'b']),
      ),
    );
    expect(first?.data).toEqual(second?.data);
    return first?.data;
  };

  it('shows in listings at once, both ways, and writes nothing', async () => {
    const before = await portfolio.stored();
    const dollars = { amount: 170_000_000, currency: 'USD' };
    const riyals = { amount: 618_800_000, currency: 'QAR' };
    // Each is asked for twice, so that the second comes from what is remembered.
    for (const [order, amount] of [
      [undefined, dollars],
      [onB, riyals],
      [['platform_a'], dollars],
      [['platform_b'], riyals],
      [undefined, dollars],
    ] as const) {
      await agree('payment.amount', order);
      expect((await listed()).amount).toEqual(amount);
      expect((await listed()).amount).toEqual(amount);
    }
    expect(await portfolio.stored()).toEqual(before);
  });

  it('takes the currency of a contract from where its amount comes from', async () => {
    await agree('contract.amount', onB);
    const { data } = await portfolio.find('platform_a', 'contract', '1945782');
    expect(data).toMatchObject({ amount: { amount: 3_094_000_000, currency: 'QAR' }, currency: 'QAR' });
  });

  it('decides in which currency an amount that is written stands', async () => {
    await agree('payment.amount', onB);
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', payment.a);
    const answer = await portfolio.canonical('payment', id, {
      amount: { amount: 100_000_01, currency: 'USD' },
    });
    expect(answer.body.data).toMatchObject({
      canonical: { updated_fields: ['amount'], data: { amount: { amount: 36_400_004, currency: 'QAR' } } },
      propagated: {
        platform_a: { status: 'applied', data: { amount: '100000.01' } },
        platform_b: { status: 'applied', data: { amount: -364_000.04 } },
      },
    });
    const again = await portfolio.client.get(`/propagations/${answer.body.data.propagation_id}`);
    expect(again.body.data.canonical).toEqual(answer.body.data.canonical);
    expect(await listed()).toEqual(answer.body.data.canonical.data);
  });

  it('settles a disagreement for the platform that counts', async () => {
    await portfolio.sql(
      `update platform_records set payload = jsonb_set(payload::jsonb, '{postingDate}', '"2026-03-09"')::json,
         written_at = clock_timestamp()
       where customer_id = $1 and platform_id = $2`,
      [portfolio.customerId, payment.b],
    );
    expect((await listed()).date).toBe('2026-02-01');
    await agree('payment.date', onB);
    expect((await listed()).date).toBe('2026-03-09');
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', payment.a);
    const { body } = await portfolio.canonical('payment', id, { date: '2026-03-09' });
    expect(body.data).toMatchObject({
      canonical: { updated_fields: [] },
      propagated: { platform_a: { status: 'applied', data: { date: '2026-03-09' } } },
    });
  });

  it('refuses a field that is read-only on the deciding platform', async () => {
    const { canonical_id: id } = await portfolio.find('platform_a', 'invoice', '10061');
    expect((await portfolio.canonical('invoice', id, { status: 'under_review' })).status).not.toBe(400);
    await agree('invoice.status', onB);
    const { status, body } = await portfolio.canonical('invoice', id, { status: 'draft' });
    expect({ status, message: body.error?.message }).toEqual({
      status: 400,
      message: 'Invalid input: data.status: platform_b lets nobody write it',
    });
  });
});
