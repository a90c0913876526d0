import { randomUUID } from 'node:crypto';
import type { RuleLevel, RuleName } from '@app/mapper';
import type { ApiResponse } from '../../support/app/api';
import { expectError } from '../../support/app/expectations';
import type { Portfolio } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(60_000);

/** 1,700,000.00 of the 2,142,000.00 that its invoice bills, under a contract over 8,500,000.00. */
const payment = { a: '1823456', b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' };
const invoice = { a: '10061', b: 'e4c74346-de67-45e7-bc0b-70120927dab0' };
const contract = { a: '1945782' };
/** Over 1,264,000.00 and 36,000.50 of approved changes; 945,000.00 and 166,500.00 are billed. */
const changed = { a: '1945790', secondInvoice: '10082' };
/** 269,650.56 of 375,750.00 are paid in three payments. */
const paidInParts = { invoice: '10071', payments: ['1823588', '1823634', '1823705'] };

const usd = (amount: number) => ({ amount: { amount: Math.round(amount * 100), currency: 'USD' } });

describe('POST /propagate, rules', () => {
  let portfolio: Portfolio;
  portfolioForEachTest((given) => ({ portfolio } = given));

  const set = (rule: RuleName, level: RuleLevel): Promise<void> => portfolio.setRules(level, rule);

  const onA = (type: 'payment' | 'invoice' | 'contract', id: string) => async (data: object) =>
    portfolio.canonical(type, (await portfolio.find('platform_a', type, id)).canonical_id, data);

  /** Expects a refusal that names both numbers, and that nothing was written. */
  async function expectRefused(send: () => Promise<ApiResponse>, message: string | RegExp): Promise<void> {
    const before = await portfolio.stored();
    expectError(await send(), 422, 'TRANSFORM_ERROR', message);
    expect(await portfolio.stored()).toEqual(before);
  }

  const expectMade = ({ status, body }: ApiResponse): void => {
    expect({ status, error: body.error }).toEqual({ status: 200 });
    expect(body.data).not.toHaveProperty('warnings');
  };

  describe('paid above billed', () => {
    const tooMuch =
      'data.amount: payments of invoice "INV-2025-0061" would come to 2142000.01 USD, and 2142000.00 USD is billed';

    it('is refused with both numbers, to the minor unit, in either form', async () => {
      const pay = onA('payment', payment.a);
      await expectRefused(() => pay(usd(2_142_000.01)), tooMuch);
      await expectRefused(
        () => portfolio.native('platform_a', 'payment', payment.a, { amount: '2142000.01' }),
        tooMuch,
      );
      await expectRefused(
        () => portfolio.native('platform_b', 'payment', payment.b, { amount: -7_796_880.04 }),
        tooMuch,
      );
      expectMade(await pay(usd(2_142_000)));
      expectMade(await portfolio.native('platform_b', 'payment', payment.b, { amount: -7_796_880 }));
    });

    it('adds all payments of the invoice up, each once', async () => {
      const [first = ''] = paidInParts.payments;
      const pay = onA('payment', first);
      const room = 375_750 - 60_000 - 84_250.52;
      await expectRefused(() => pay(usd(room + 0.01)), /375750\.01 USD, and 375750\.00 USD is billed$/);
      expectMade(await pay(usd(room)));
    });

    it('also covers an invoice that is reduced below its payments', async () => {
      await expectRefused(
        () => portfolio.native('platform_b', 'invoice', invoice.b, { totalAmountIncludingTax: 6_187_999 }),
        /^data\.totalAmountIncludingTax: payments of invoice "INV-2025-0061" would come to 1700000\.00 USD, and 1699999\.73 USD is billed$/,
      );
      expectMade(await onA('invoice', invoice.a)(usd(1_700_000)));
    });

    it('may stay or decrease where it already exists', async () => {
      await set('paid_above_billed', 'off');
      const pay = onA('payment', payment.a);
      expectMade(await pay(usd(3_000_000)));
      await set('paid_above_billed', 'refuse');
      expectMade(await pay({ notes: 'still too much' }));
      await expectRefused(() => pay(usd(3_000_001)), /3000001\.00 USD, and 2142000\.00 USD/);
      expectMade(await pay(usd(2_500_000)));
      expectMade(await onA('invoice', invoice.a)(usd(2_200_000)));
    });

    it('is a warning if the customer agreed to it, in the answer and in later reads of it', async () => {
      await set('paid_above_billed', 'warn');
      const { status, body } = await onA('payment', payment.a)(usd(2_142_000.01));
      expect(status).toBe(200);
      const warnings = [
        {
          rule: 'paid_above_billed',
          field: 'amount',
          message: tooMuch.replace('data.amount: ', ''),
          amount: { amount: 214_200_001, currency: 'USD' },
          limit: { amount: 214_200_000, currency: 'USD' },
        },
      ];
      expect(body.data.warnings).toEqual(warnings);
      const again = await portfolio.client.get(`/propagations/${body.data.propagation_id}`);
      expect(again.body.data.warnings).toEqual(warnings);
    });

    it('is a warning when a payment moves to another invoice, unless the rule was set', async () => {
      const other = (await portfolio.find('platform_a', 'invoice', '10064')).canonical_id;
      const move = () => onA('payment', payment.a)({ invoice_id: other });
      await set('paid_above_billed', 'refuse');
      await expectRefused(move, /payments of invoice "INV-2025-0064" would come to 2350000\.25 USD/);
      await portfolio.sql('delete from customer_terms where customer_id = $1', [portfolio.customerId]);
      const { status, body } = await move();
      expect(status).toBe(200);
      expect(body.data.warnings).toMatchObject([{ rule: 'paid_above_billed' }]);
      await expectRefused(() => onA('payment', payment.a)(usd(1_700_001)), /2350001\.25 USD/);
    });

    it('cannot result from two concurrent changes', async () => {
      // Each of them alone has room for this, and no two of them together.
      const room = 375_750 - 269_650.56;
      const amounts = [125_400.04, 60_000, 84_250.52].map((amount) => amount + room);
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all(
          paidInParts.payments.map((id, place) => onA('payment', id)(usd(amounts[place] ?? 0))),
        );
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
        const taken = answers.findIndex(({ status }) => status === 200);
        expectMade(
          await onA('payment', paidInParts.payments[taken] ?? '')(usd((amounts[taken] ?? 0) - room)),
        );
      }
    });

    it('cannot result from concurrent changes of a payment and its invoice', async () => {
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all([
          onA('payment', payment.a)(usd(2_100_000)),
          onA('invoice', invoice.a)(usd(2_000_000)),
          portfolio.native('platform_a', 'payment', payment.a, {
            amount: '2050000.00',
            requisition_id: 10061,
            notes: randomUUID(),
          }),
        ]);
        expect(answers.every(({ status }) => status === 200 || status === 422)).toBe(true);
        const paid = (await portfolio.find('platform_a', 'payment', payment.a)).data.amount.amount;
        const billed = (await portfolio.find('platform_a', 'invoice', invoice.a)).data.amount.amount;
        expect(paid).toBeLessThanOrEqual(billed);
        expectMade(await onA('payment', payment.a)(usd(1_700_000)));
        expectMade(await onA('invoice', invoice.a)(usd(2_142_000)));
      }
    });
  });

  describe('billed above contract', () => {
    it('is refused with both numbers', async () => {
      const bill = onA('invoice', invoice.a);
      await expectRefused(
        () => bill(usd(8_500_000.01)),
        'data.amount: invoices of contract "C-LEX-001" would come to 8500000.01 USD, and with its approved changes it is worth 8500000.00 USD',
      );
      expectMade(await bill(usd(8_500_000)));
    });

    it('counts the approved changes of the contract, and all of its invoices', async () => {
      const bill = onA('invoice', changed.secondInvoice);
      await expectRefused(() => bill(usd(355_000.51)), /1300000\.51 USD, .* worth 1300000\.50 USD$/);
      expectMade(await bill(usd(355_000.5)));
    });

    it('also covers a contract that is reduced below its invoices', async () => {
      const change = onA('contract', contract.a);
      await expectRefused(() => change(usd(2_141_999.99)), /2142000\.00 USD, .* worth 2141999\.99 USD$/);
      expectMade(await change(usd(2_142_000)));
    });

    it('is a warning, or allowed, if the customer agreed to it', async () => {
      await set('billed_above_contract', 'warn');
      const { body } = await onA('invoice', invoice.a)(usd(9_000_000));
      expect(body.data.warnings).toMatchObject([
        {
          rule: 'billed_above_contract',
          amount: { amount: 900_000_000, currency: 'USD' },
          limit: { amount: 850_000_000, currency: 'USD' },
        },
      ]);
      await set('billed_above_contract', 'off');
      expectMade(await onA('invoice', invoice.a)(usd(9_500_000)));
    });
  });

  describe('a currency unlike the contract’s', () => {
    const change = () =>
      portfolio.native('platform_b', 'payment', payment.b, { amount: -100, currencyCode: 'AED' });

    it('is refused with both', async () => {
      await expectRefused(
        change,
        /^data\.(amount|currencyCode): AED is not the currency of its contract on platform_b, which is QAR$/,
      );
      expectMade(
        await portfolio.native('platform_b', 'payment', payment.b, { amount: -100, currencyCode: 'qar' }),
      );
    });

    it('may stay or be corrected where it already exists', async () => {
      await set('currency_unlike_contract', 'warn');
      expect((await change()).body.data.warnings).toMatchObject([
        { rule: 'currency_unlike_contract', platform: 'platform_b' },
      ]);
      await set('currency_unlike_contract', 'refuse');
      expectMade(await portfolio.native('platform_b', 'payment', payment.b, { comment: 'still dirhams' }));
      expectMade(await portfolio.native('platform_b', 'payment', payment.b, { amount: -200 }));
      expectMade(await portfolio.native('platform_b', 'payment', payment.b, { currencyCode: 'QAR' }));
    });
  });

  describe('a write into a locked record', () => {
    const words =
      'platform_a has locked the record: The Contract Payment cannot be edited or deleted because it is synced with an ERP system';

    beforeEach(async () => {
      expectMade(await portfolio.native('platform_a', 'payment', payment.a, { origin_id: 'ERP-1' }));
    });

    it('is refused in the platform’s words, in either format and from either platform', async () => {
      await expectRefused(() => onA('payment', payment.a)({ notes: 'x' }), `data.notes: ${words}`);
      await expectRefused(
        () => portfolio.native('platform_b', 'payment', payment.b, { comment: 'x' }),
        `data.comment: ${words}`,
      );
      await expectRefused(
        () => portfolio.native('platform_a', 'payment', payment.a, { unheard_of: 1 }),
        `data.unheard_of: ${words}`,
      );
    });

    it('is also the reason when the change would lose a word', async () => {
      expectMade(await portfolio.native('platform_a', 'invoice', invoice.a, { origin_id: 'ERP-2' }));
      await expectRefused(
        () => onA('invoice', invoice.a)({ status: 'revise_and_resubmit' }),
        'data.status: platform_a has locked the record: The invoice is not editable because it has been synced with ERP',
      );
    });

    it('does not affect fields that are not locked', async () => {
      expectMade(await portfolio.native('platform_b', 'payment', payment.b, { description: 'of b alone' }));
      expectMade(await portfolio.native('platform_a', 'payment', payment.a, { origin_id: null }));
      expectMade(await onA('payment', payment.a)({ notes: 'x' }));
    });

    it('is rejected only by the platform, with a warning, if the customer agreed to it', async () => {
      await set('locked_on_platform', 'warn');
      const { body } = await portfolio.native('platform_b', 'payment', payment.b, { comment: 'x' });
      expect(body.data).toMatchObject({
        propagated: { platform_a: { status: 'rejected' }, platform_b: { status: 'applied' } },
        warnings: [{ rule: 'locked_on_platform', platform: 'platform_a', message: words }],
      });
    });
  });
});
