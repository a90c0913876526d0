import { platforms, type Platform, type Portfolio, type StoredType } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(30_000);

const CONTRACT = '1945782';
const PAYMENT = '1823456';

describe('POST /propagate, fields that are not sent to a platform', () => {
  let portfolio: Portfolio;

  portfolioForEachTest((given) => ({ portfolio } = given));

  const idOf = async (type: StoredType, onA: string): Promise<string> =>
    (await portfolio.find('platform_a', type, onA)).canonical_id;
  /** What an answer says of the fields left, by platform; undefined for an entry without the member. */
  const leftIn = ({ status, body }: Awaited<ReturnType<Portfolio['canonical']>>) => {
    expect(status).toBe(200);
    const { propagated } = body.data;
    return Object.fromEntries(platforms.map((platform) => [platform, propagated[platform].left]));
  };
  const notWritten = (platform: Platform, field: string) => [
    { field, reason: `${platform} does not let ${field} be written` },
  ];

  it('are named with the reason, for a change in either form', async () => {
    const id = await idOf('contract', CONTRACT);
    const answer = await portfolio.canonical('contract', id, { status: 'closed' });
    expect(leftIn(answer)).toEqual({ platform_b: notWritten('platform_b', 'status') });
    expect(answer.body.data.propagated.platform_b).toMatchObject({
      status: 'unchanged',
      reason: 'platform_b does not let status be written',
    });
    const native = await portfolio.native('platform_a', 'contract', CONTRACT, { status: 'Terminated' });
    expect(leftIn(native)).toEqual({ platform_b: notWritten('platform_b', 'status') });
  });

  it('are named as well where the change repeats what the object has', async () => {
    const id = await idOf('contract', CONTRACT);
    await portfolio.canonical('contract', id, { status: 'closed' });
    for (const again of [
      await portfolio.canonical('contract', id, { status: 'closed' }),
      await portfolio.native('platform_a', 'contract', CONTRACT, { status: 'Complete' }),
    ]) {
      expect(again.body.data).toMatchObject({
        canonical: { updated_fields: [] },
        propagated: { platform_a: { status: 'unchanged' }, platform_b: { status: 'unchanged' } },
      });
      expect(leftIn(again)).toEqual({ platform_b: notWritten('platform_b', 'status') });
    }
  });

  it('are named beside those that are written', async () => {
    const id = await idOf('contract', CONTRACT);
    const answer = await portfolio.canonical('contract', id, { status: 'void', contract_date: '2025-04-01' });
    expect(answer.body.data.propagated.platform_b).toMatchObject({
      status: 'applied',
      data: { orderDate: '2025-04-01' },
    });
    expect(leftIn(answer)).toEqual({ platform_b: notWritten('platform_b', 'status') });
  });

  it('are not those that have the value there', async () => {
    const id = await idOf('contract', CONTRACT);
    const { data } = await portfolio.find('platform_b', 'contract', id);
    // What platform_b shows is what the object says, or has one word with it there.
    const same = await portfolio.canonical('contract', id, {
      status: data.status,
      contract_date: data.contract_date,
    });
    expect(leftIn(same)).toEqual({});
    expect(leftIn(await portfolio.canonical('contract', id, { status: 'closed' }))).not.toEqual({});
    expect(leftIn(await portfolio.canonical('contract', id, { status: 'approved' }))).toEqual({});
    expect(leftIn(await portfolio.canonical('contract', id, { contract_date: '2025-05-01' }))).toEqual({});
  });

  it('are those that the platform does not have', async () => {
    const contract = await idOf('contract', CONTRACT);
    expect(leftIn(await portfolio.canonical('contract', contract, { title: 'Piling' }))).toEqual({
      platform_b: [{ field: 'title', reason: 'platform_b has no field for title' }],
    });
    const described = await portfolio.canonical('contract', contract, { description: 'Piles only' });
    expect(leftIn(described)).toEqual({
      platform_b: [{ field: 'description', reason: 'platform_b has no field for description' }],
    });
    expect(described.body.data.propagated.platform_b.status).toBe('unchanged');
    const payment = await idOf('payment', PAYMENT);
    expect(leftIn(await portfolio.canonical('payment', payment, { description: 'Advance' }))).toEqual({
      platform_a: [{ field: 'description', reason: 'platform_a has no field for description' }],
    });
    // Only the value counts for what the object repeats: platform_a has none to disagree with.
    expect(leftIn(await portfolio.canonical('payment', payment, { description: 'Advance' }))).toEqual({});
  });

  it('are named in a dry run, in the propagation afterwards and in the history', async () => {
    const id = await idOf('contract', CONTRACT);
    const change = {
      format: 'canonical',
      canonical_id: id,
      entity_type: 'contract',
      data: { status: 'closed' },
    };
    const left = notWritten('platform_b', 'status');
    const dry = await portfolio.client.post('/propagate', { ...change, dry_run: true });
    expect(leftIn(dry)).toEqual({ platform_b: left });
    const made = await portfolio.client.post('/propagate', change);
    expect(leftIn(made)).toEqual({ platform_b: left });
    const { propagation_id: propagation } = made.body.data;
    expect(leftIn(await portfolio.client.get(`/propagations/${propagation}`))).toEqual({ platform_b: left });
    const history = await portfolio.client.get(`/objects/${id}/history`);
    const entry = history.body.data.find(
      ({ origin }: { origin: { propagation_id?: string } }) => origin.propagation_id === propagation,
    );
    expect(entry.outcomes).toMatchObject({ platform_b: { status: 'unchanged', left } });
    expect(entry.outcomes.platform_a).not.toHaveProperty('left');
  });

  it('of a new record are those that it does not show', async () => {
    const onlyOnA = (await portfolio.list('platform_a', 'contract')).find(
      ({ mappings, data }) => mappings.length === 1 && data.customer_id,
    );
    const id = onlyOnA?.canonical_id ?? '';
    const answer = await portfolio.creating.canonical('contract', id, {
      status: 'closed',
      contract_date: '2025-05-01',
    });
    expect(answer.body.data.propagated.platform_b.status).toBe('applied');
    expect(leftIn(answer)).toEqual({ platform_b: notWritten('platform_b', 'status') });
  });
});
