import { defaultTerms, type JsonObject, type StoredEntityType } from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import type { ChangeContext } from '../context/change-context';
import type { ResolvedChange } from '../resolved/resolved-change';
import { brokenSums } from './sum-rule';
import { billedAboveContract, paidAboveBilled } from './sums';

const usd = (amount: number) => ({ amount, currency: 'USD' });
const text = (minor: number): string => (minor / 100).toFixed(2);

function object(
  entityType: StoredEntityType,
  id: string,
  payload: JsonObject,
  references: Record<string, string> = {},
): LoadedObject {
  const copy: StoredCopy = {
    platform: 'platform_a',
    platformId: id,
    variant: null,
    payload,
    known: payload,
    payloadText: JSON.stringify(payload),
    accepted: null,
    inheritedCurrency: 'USD',
    localCurrency: 'USD',
    references,
  };
  return { id, entityType, copies: [copy], extra: {} };
}

const payment = (id: string, amount: number, invoice = 'inv_1', status = 'paid') =>
  object('payment', id, { amount: text(amount), status, requisition_id: 1 }, { invoice_id: invoice });
const invoice = (id: string, amount: number, more: JsonObject = {}) =>
  object(
    'invoice',
    id,
    { summary: { current_payment_due: text(amount) }, invoice_number: id, commitment_id: 1, ...more },
    { contract_id: 'cor_1' },
  );

/** Changes one object's fields, among related objects and objects that are added up. */
function broken(
  rule: typeof paidAboveBilled,
  changed: LoadedObject,
  [canonical, next]: readonly [JsonObject, JsonObject],
  {
    referredObjects,
    figures,
  }: { readonly referredObjects: readonly LoadedObject[]; readonly figures: readonly LoadedObject[] },
  complete = true,
  expected = next,
) {
  const names = Object.keys(next).filter((name) => next[name] !== canonical[name]);
  const context = {
    entityType: changed.entityType,
    object: changed,
    canonical,
    quotes: { request: undefined, customer: [] },
    terms: defaultTerms,
    referredObjects: new Map(referredObjects.map((one) => [one.id, one])),
    figures: { objects: figures, complete },
  } as unknown as ChangeContext; // These rules use no other member of a context.
  const change = {
    values: new Map(names.map((name) => [name, next[name] ?? null])),
    next,
  } as unknown as ResolvedChange;
  return brokenSums(rule, context, change, () => expected);
}

describe('payments of an invoice', () => {
  const minor = fc.integer({ min: -1_000, max: 10_000 });

  it('are refused exactly when they come to more than is billed, and to more than before', () => {
    fc.assert(
      fc.property(minor, minor, fc.array(minor, { maxLength: 5 }), minor, (was, is, others, billed) => {
        fc.pre(was !== is);
        const figures = others.map((amount, place) => payment(`pay_${place + 2}`, amount));
        const resolved = broken(
          paidAboveBilled,
          payment('pay_1', was),
          [
            { amount: usd(was), invoice_id: 'inv_1', status: 'paid' },
            { amount: usd(is), invoice_id: 'inv_1', status: 'paid' },
          ],
          { referredObjects: [invoice('inv_1', billed)], figures },
        );
        const sum = others.reduce((total, amount) => total + amount, 0);
        expect(resolved.length).toBe(sum + is > billed && is > was ? 1 : 0);
        for (const one of resolved) {
          expect(one).toMatchObject({ by: 'breaks', amount: usd(sum + is), limit: usd(billed) });
        }
      }),
    );
  });

  it('are held against an invoice that is changed, with what stood before', () => {
    fc.assert(
      fc.property(minor, minor, fc.array(minor, { maxLength: 5 }), (was, is, amounts) => {
        fc.pre(was !== is);
        const resolved = broken(
          paidAboveBilled,
          invoice('inv_1', was),
          [{ amount: usd(was) }, { amount: usd(is) }],
          { referredObjects: [], figures: amounts.map((amount, place) => payment(`pay_${place}`, amount)) },
        );
        const sum = amounts.reduce((total, amount) => total + amount, 0);
        expect(resolved.map(({ by }) => by)).toEqual(sum > is && is < was ? ['breaks'] : []);
      }),
    );
  });

  const change = [
    { amount: usd(1), invoice_id: 'inv_1' },
    { amount: usd(60), invoice_id: 'inv_1' },
  ] as const;

  it('break it with a message that names the invoice, the sum and the limit', () => {
    const sumOf = (amount: number, figures: readonly LoadedObject[] = []) =>
      broken(paidAboveBilled, payment('pay_1', 1), [change[0], { ...change[1], amount: usd(amount) }], {
        referredObjects: [invoice('inv_1', 100)],
        figures,
      });
    const limit = usd(100);
    const said = (sum: string) => `payments of invoice "inv_1" would come to ${sum}, and 1.00 USD is billed`;
    expect(sumOf(110)).toEqual([
      {
        ...{ rule: 'paid_above_billed', field: 'amount', by: 'breaks', message: said('1.10 USD') },
        ...{ amount: usd(110), limit },
      },
    ]);
    const largest = Number.MAX_SAFE_INTEGER;
    expect(sumOf(largest)).toMatchObject([{ amount: usd(largest), limit }]);
    // No amount of money is that large.
    const [beyond] = sumOf(largest, [payment('pay_2', 1)]);
    expect(beyond).toMatchObject({ message: said('more than any amount'), limit });
    expect(beyond).not.toHaveProperty('amount');
  });

  it('are held against a new limit in full, where the limit before was none in its currency', () => {
    const figures = [payment('pay_2', 50)];
    const limited = (before: JsonObject) =>
      broken(paidAboveBilled, invoice('inv_1', 10), [before, { amount: usd(10) }], {
        referredObjects: [],
        figures,
      });
    expect(limited({ amount: { amount: 1, currency: 'EUR' } })).toHaveLength(1);
    expect(limited({})).toHaveLength(1);
  });

  it('count in full where the amount before had no rate, and the changed one counts once', () => {
    const referredObjects = [invoice('inv_1', 100)];
    const euros = { ...change[0], amount: { amount: 1, currency: 'EUR' } };
    const dollars = { ...change[1], amount: usd(101) };
    expect(
      broken(paidAboveBilled, payment('pay_1', 1), [euros, dollars], { referredObjects, figures: [] }),
    ).toHaveLength(1);
    const itself = payment('pay_1', 50);
    expect(broken(paidAboveBilled, itself, change, { referredObjects, figures: [itself] })).toEqual([]);
  });

  it('are not added up where nothing changes that counts, nor without an invoice', () => {
    const none = { referredObjects: [invoice('inv_1', 100)], figures: [] };
    const noted = [
      { ...change[0], notes: 'x' },
      { ...change[0], notes: 'y' },
    ] as const;
    expect(broken(paidAboveBilled, payment('pay_1', 1), noted, none, false)).toEqual([]);
    expect(broken(billedAboveContract, payment('pay_1', 1), change, none, false)).toEqual([]);
    const unknown = { referredObjects: [], figures: [] };
    expect(broken(paidAboveBilled, payment('pay_1', 1), change, unknown)).toEqual([]);
    const free = [{ amount: usd(1) }, { amount: usd(500) }] as const;
    expect(broken(paidAboveBilled, payment('pay_1', 1), free, none)).toEqual([]);
  });

  it('that were rejected, have failed, or belong to another invoice do not count', () => {
    const referredObjects = [invoice('inv_1', 100)];
    const of = (other: LoadedObject) =>
      broken(paidAboveBilled, payment('pay_1', 1), change, { referredObjects, figures: [other] });
    expect(of(payment('pay_2', 50))).toHaveLength(1);
    expect(of(payment('pay_2', 50, 'inv_1', 'failed'))).toEqual([]);
    expect(of(payment('pay_2', 50, 'inv_1', 'rejected'))).toEqual([]);
    expect(of(payment('pay_2', 50, 'inv_2'))).toEqual([]);
  });

  it('that are too many, or have no rate, are not added up, and a warning says so', () => {
    const referredObjects = [invoice('inv_1', 100)];
    const none = { referredObjects, figures: [] };
    expect(broken(paidAboveBilled, payment('pay_1', 1), change, none, false)).toMatchObject([
      {
        ...{ by: 'unknown', field: 'amount' },
        message: 'the records of invoice "inv_1" were not added up: there are too many',
      },
    ]);
    const unnumbered = { referredObjects: [invoice('inv_1', 100, { invoice_number: null })], figures: [] };
    expect(broken(paidAboveBilled, payment('pay_1', 1), change, unnumbered, false)).toMatchObject([
      { message: 'the records of the invoice were not added up: there are too many' },
    ]);
    const euros = [change[0], { ...change[1], amount: { amount: 1, currency: 'EUR' } }] as const;
    expect(broken(paidAboveBilled, payment('pay_1', 1), euros, none)).toMatchObject([
      { by: 'unknown', message: expect.stringContaining('no exchange rate from EUR to USD is known') },
    ]);
  });

  it('that move to another invoice break the rule there, and the reason says that they were only moved', () => {
    const referredObjects = [invoice('inv_1', 100), invoice('inv_2', 50)];
    const moved = (amount: number) =>
      broken(
        paidAboveBilled,
        payment('pay_1', 60),
        [
          { amount: usd(60), invoice_id: 'inv_1' },
          { amount: usd(amount), invoice_id: 'inv_2' },
        ],
        { referredObjects, figures: [] },
      );
    expect(moved(60)).toMatchObject([{ by: 'moves', limit: usd(50) }]);
    expect(moved(61)).toMatchObject([{ by: 'breaks', limit: usd(50) }]);
    expect(moved(50)).toEqual([]);
    // The invoice that it leaves gets no more, however small it is.
    const away = [
      { amount: usd(60), invoice_id: 'inv_2' },
      { amount: usd(70), invoice_id: 'inv_1' },
    ] as const;
    expect(broken(paidAboveBilled, payment('pay_1', 60), away, { referredObjects, figures: [] })).toEqual([]);
  });
});

describe('invoices of a contract', () => {
  const contract = (payload: JsonObject) => object('contract', 'cor_1', { number: 'C-1', ...payload });
  const billed = (is: JsonObject, worth: JsonObject, figures: readonly LoadedObject[] = []) =>
    broken(
      billedAboveContract,
      invoice('inv_1', 1),
      [
        { amount: usd(1), contract_id: 'cor_1' },
        { contract_id: 'cor_1', ...is },
      ],
      { referredObjects: [contract(worth)], figures },
    );

  it('are held against its amount with the approved changes, whichever way a platform shows them', () => {
    const worth = { grand_total: '1.00', approved_change_orders: '-0.10' };
    expect(billed({ amount: usd(90) }, worth)).toEqual([]);
    expect(billed({ amount: usd(91) }, worth)).toMatchObject([{ limit: usd(90) }]);
    expect(billed({ amount: usd(120) }, { grand_total: '1.00', revised_contract: '1.20' })).toEqual([]);
    expect(billed({ amount: usd(101) }, { grand_total: '1.00' })).toMatchObject([{ limit: usd(100) }]);
    expect(billed({ amount: usd(101) }, {})).toEqual([]);
  });

  it('count with the amount that platforms compute, where a value changes that they compute it from', () => {
    const worth = { referredObjects: [contract({ grand_total: '1.00' })], figures: [] };
    const of = (canonical: JsonObject, next: JsonObject) =>
      broken(billedAboveContract, invoice('inv_1', 1), [canonical, next], worth, true, {
        ...next,
        amount: usd(101),
      });
    const before = { amount: usd(1), contract_id: 'cor_1' };
    expect(of(before, { ...before, amount: usd(90) })).toMatchObject([{ amount: usd(101) }]);
    expect(of({ ...before, contract_id: 'cor_2' }, before)).toEqual([]);
  });

  it('count without tax', () => {
    expect(billed({ amount: usd(105), net_amount: usd(100) }, { grand_total: '1.00' })).toEqual([]);
    const taxed = invoice('inv_2', 105, {
      summary: { current_payment_due: '1.05', tax_applicable_to_this_payment: '0.05' },
    });
    expect(billed({ amount: usd(2) }, { grand_total: '1.01' }, [taxed])).toMatchObject([
      { amount: usd(102) },
    ]);
  });
});
