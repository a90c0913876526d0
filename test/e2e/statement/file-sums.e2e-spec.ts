import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const currencies = ['USD', 'AED', 'QAR', 'BHD', 'EUR', 'GBP'] as const;
const places = (currency: string): number => (currency === 'BHD' ? 3 : 2);

interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

function fraction(decimal: string): Fraction {
  const [, whole = '', part = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const size = BigInt(whole + part);
  return { top: decimal.startsWith('-') ? -size : size, bottom: 10n ** BigInt(part.length) };
}

/** Half to even. */
function rounded({ top, bottom }: Fraction): bigint {
  const size = top < 0n ? -top : top;
  const [whole, twice] = [size / bottom, 2n * (size % bottom)];
  const up = twice > bottom || (twice === bottom && whole % 2n === 1n) ? 1n : 0n;
  return top < 0n ? -(whole + up) : whole + up;
}

/** An amount in minor units of a currency, by the quotes of a file, followed one after the other and rounded once. */
function converted(amount: string, from: string, to: string, quotes: string): bigint {
  let { top, bottom } = fraction(amount);
  let now = from;
  for (const quote of quotes === '' ? [] : quotes.split('; ')) {
    const [, one = '', rate = '', other = ''] =
      /^1 ([A-Z]{3}) = (\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(quote) ?? [];
    const by = fraction(rate);
    if (now === one) [top, bottom, now] = [top * by.top, bottom * by.bottom, other];
    else if (now === other) [top, bottom, now] = [top * by.bottom, bottom * by.top, one];
    else throw new Error(`${quote} leads nowhere from ${now}`);
  }
  expect(now).toBe(to);
  return rounded({ top: top * 10n ** BigInt(places(to)), bottom });
}

/** The cells of a file in which none holds a quote or a line break. */
const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .replace(/^\ufeff/, '')
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
    );

const payment = fc.record({
  onA: fc.boolean(),
  amount: fc.integer({ min: 1, max: 10_000_000 }),
  currency: fc.constantFrom(...currencies),
});

describe('the file of cases, by itself', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [RatesModule], sources)));
  afterAll(() => service.close());

  it('adds up to the sums at its head, by the quotes that it names', async () => {
    const portfolios = fc.array(payment, { minLength: 6, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(portfolios, fc.constantFrom('AED', 'USD', 'BHD'), async (payments, currency) => {
        const { key, customerId } = await service.openSession();
        const rates = service.app.get(ExchangeRatesService, { strict: false });
        await rates.set(customerId, { from: 'EUR', to: currency, rate: '3.97' });
        await rates.set(customerId, { from: currency, to: 'GBP', rate: '0.2131' });
        const minor = ({ amount, currency: own }: (typeof payments)[number]) =>
          (amount / 10 ** places(own)).toFixed(places(own));
        sources.give(
          customerId,
          a,
          payments.flatMap((one, id) =>
            one.onA
              ? [
                  record('payment', {
                    id: id + 1,
                    amount: (one.amount / 100).toFixed(2),
                    check_number: `A-${id}`,
                  }),
                ]
              : [],
          ),
          { currency },
        );
        sources.give(
          customerId,
          b,
          payments.flatMap((one, id) =>
            one.onA
              ? []
              : [
                  record('payment', {
                    id: `b${id}`,
                    amount: -Number(minor(one)),
                    currencyCode: one.currency,
                    externalDocumentNumber: `B-${id}`,
                  }),
                ],
          ),
        );
        const client = api(service.url, key);
        for (const platform of [a, b]) await connect(client, platform);
        const response = await fetch(`${service.url}/api/v1/reconciliation/cases?entity_type=payment`, {
          headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
        });
        const lines = linesOf(await response.text());
        const quotes = new Map(
          lines.filter(([name]) => name === 'rate').map(([, pair, words]) => [pair, words]),
        );
        const at = lines.findIndex(([name]) => name === 'id');
        const column = (name: string): number => lines[at]?.indexOf(name) ?? -1;
        const sums = new Map([a, b].map((platform): [string, bigint] => [platform, 0n]));
        for (const line of lines.slice(at + 1)) {
          if (line.length === 1) continue;
          const [amount, own] = [line[column('amount')] ?? '', line[column('amount_currency')] ?? ''];
          const [platform = ''] = (line[column('records')] ?? '').split(' ');
          const words = own === currency ? '' : (quotes.get(`${own} to ${currency}`) ?? 'none');
          sums.set(platform, (sums.get(platform) ?? 0n) + converted(amount, own, currency, words));
        }
        for (const [platform, sum] of sums) {
          const head = lines.find(([name, of]) => name === 'sum' && of === `payment on ${platform}`);
          expect([platform, sum]).toEqual([platform, converted(head?.[2] ?? '', currency, currency, '')]);
        }
      }),
      { numRuns: randomCases(4) },
    );
  });

  it('names each rate in words, in the direction in which it is quoted', async () => {
    const { key, customerId } = await service.openSession();
    sources.give(customerId, a, [record('payment', { id: 1, amount: '10.00', check_number: 'A-1' })], {
      currency: 'AED',
    });
    sources.give(customerId, b, [
      record('payment', { id: 'b1', amount: -1, currencyCode: 'USD', externalDocumentNumber: 'B-1' }),
      record('payment', { id: 'b2', amount: -1, currencyCode: 'QAR', externalDocumentNumber: 'B-2' }),
    ]);
    const client = api(service.url, key);
    for (const platform of [a, b]) await connect(client, platform);
    const { body } = await client.get('/reconciliation');
    expect(body.data.rates).toEqual([
      expect.objectContaining({
        from: 'QAR',
        via: 'USD',
        quotes: [
          { from: 'USD', to: 'QAR', rate: '3.64' },
          { from: 'USD', to: 'AED', rate: '3.6725' },
        ],
      }),
      expect.objectContaining({
        from: 'USD',
        inverted: false,
        quotes: [{ from: 'USD', to: 'AED', rate: '3.6725' }],
      }),
    ]);
    for (const path of ['/reconciliation', '/reconciliation/cases']) {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
      });
      const text = await response.text();
      expect(text).toContain('rate,USD to AED,1 USD = 3.6725 AED,peg,,\r\n');
      expect(text).toContain('rate,QAR to AED,1 USD = 3.64 QAR; 1 USD = 3.6725 AED,peg,,USD\r\n');
    }
  });
});
