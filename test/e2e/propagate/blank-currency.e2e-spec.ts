import { startApp, type RunningApp } from '../../support/app/app';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';

jest.setTimeout(30_000);

const money = (amount: number, currency = 'USD') => ({ amount, currency });
const inQatar = { a: '1823456', b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' };
/** On platform_b, what says nothing means the company's own currency, which is QAR in the sandbox. */
const blanks = ['', '  ', null];

describe('a currency that is blanked on platform_b', () => {
  let app: RunningApp;
  let all: Portfolios;
  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  const read = async (portfolio: Portfolio) => {
    const { data, platform_data: native } = await portfolio.find('platform_b', 'payment', inQatar.b);
    return { amount: data.amount, native: [native.amount, native.currencyCode] };
  };

  it.each(blanks)('by %j stays blank, and the payment the same amount of the same money', async (blank) => {
    const portfolio = await all.open(['platform_b']);
    const before = await read(portfolio);
    expect(before.amount.currency).toBe('QAR');
    const { status, body } = await portfolio.native('platform_b', 'payment', inQatar.b, {
      currencyCode: blank,
    });
    expect(status).toBe(200);
    expect(body.data.canonical.data.amount).toEqual(before.amount);
    expect(await read(portfolio)).toEqual({ amount: before.amount, native: [before.native[0], ''] });
  });

  it.each(blanks)('by %j changes nothing on platform_a where it was QAR before', async (blank) => {
    const portfolio = await all.open();
    await portfolio.native('platform_b', 'payment', inQatar.b, { amount: -200, currencyCode: 'QAR' });
    const before = await portfolio.find('platform_a', 'payment', inQatar.a);
    const { body } = await portfolio.native('platform_b', 'payment', inQatar.b, { currencyCode: blank });
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'unchanged' },
      platform_b: { status: 'applied', data: { amount: -200, currencyCode: '' } },
    });
    expect((await portfolio.find('platform_a', 'payment', inQatar.a)).platform_data).toEqual(
      before.platform_data,
    );
  });

  it.each(blanks)('by %j makes dollars riyals, on both platforms at the peg', async (blank) => {
    const portfolio = await all.open();
    await portfolio.setRules('off', 'currency_unlike_contract');
    await portfolio.native('platform_b', 'payment', inQatar.b, { amount: -100, currencyCode: 'USD' });
    const { body } = await portfolio.native('platform_b', 'payment', inQatar.b, { currencyCode: blank });
    expect(body.data).toMatchObject({
      canonical: { data: { amount: money(2747) } },
      propagated: {
        platform_a: { status: 'applied', data: { amount: '27.47' }, conversion: { from: 'QAR', to: 'USD' } },
        platform_b: { status: 'applied', data: { amount: -100, currencyCode: '' } },
      },
    });
    expect(await read(portfolio)).toEqual({ amount: money(2747), native: [-100, ''] });
  });

  it.each(blanks)('by %j is QAR on a customer', async (blank) => {
    const portfolio = await all.open();
    const [record] = await portfolio.list('platform_b', 'customer');
    const id = record?.id ?? '';
    await portfolio.native('platform_b', 'customer', id, { currencyCode: 'AED' });
    const { body } = await portfolio.native('platform_b', 'customer', id, { currencyCode: blank });
    expect(body.data.propagated.platform_b).toMatchObject({ status: 'applied', data: { currencyCode: '' } });
    const { data } = await portfolio.find('platform_b', 'customer', id);
    expect(data.currency).toBe('QAR');
  });
});
