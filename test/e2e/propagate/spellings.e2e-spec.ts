import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';
import type { Portfolio } from '../../support/customers/portfolio';

jest.setTimeout(30_000);

describe('POST /propagate, a GUID in upper case', () => {
  const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';
  let portfolio: Portfolio;
  portfolioForEachTest((given) => ({ portfolio } = given));

  it('names the same record', async () => {
    const { status, body } = await portfolio.native('platform_b', 'payment', ON_B.toUpperCase(), {
      comment: 'Seen',
    });
    expect(status).toBe(200);
    expect(body.data.propagated.platform_b).toMatchObject({ platform_id: ON_B, status: 'applied' });
  });
});

describe('POST /propagate, a present value in another spelling', () => {
  let portfolio: Portfolio;
  portfolioForEachTest((given) => ({ portfolio } = given));

  it('changes nothing', async () => {
    const { canonical_id } = await portfolio.find('platform_a', 'contract', '1945782');
    const set = await portfolio.canonical('contract', canonical_id, {
      retainage_percent: '5.50',
      title: null,
    });
    expect(set.body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      data: { retainage_percent: '5.5', title: null },
    });
    const before = await portfolio.stored();
    const again = await portfolio.canonical('contract', canonical_id, {
      retainage_percent: '05.500',
      title: '',
    });
    expect(again.body.data).toMatchObject({
      canonical: { updated_fields: [], data: { retainage_percent: '5.5', title: null } },
      propagated: { platform_a: { status: 'unchanged' } },
    });
    expect(await portfolio.stored()).toEqual(before);
  });

  it('of nothing clears the field as null does', async () => {
    const { canonical_id, mappings } = await portfolio.find('platform_a', 'payment', '1823456');
    expect(mappings).toHaveLength(2);
    const { body } = await portfolio.canonical('payment', canonical_id, { notes: '' });
    expect(body.data).toMatchObject({
      canonical: { updated_fields: ['notes'], data: { notes: null } },
      propagated: {
        platform_a: { status: 'applied', data: { notes: null } },
        platform_b: { status: 'applied', data: { comment: '' } },
      },
    });
  });
});
