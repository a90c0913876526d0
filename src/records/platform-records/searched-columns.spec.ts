import { exponentOf, type Money } from '@app/mapper';
import { fc } from '../../../libs/mapper/src/testing/property';
import { amountOrder, searchedColumns, wordsOf } from './searched-columns';

describe('searchedColumns', () => {
  it('reads number, title and name, folded as keys are', () => {
    expect(
      searchedColumns('contract', { number: ' SC-1 ', title: 'Steel  STRAßE\tSteel' }).search_words,
    ).toBe('sc-1 steel strasse');
    expect(searchedColumns('customer', { name: 'Ａｌ Doha', legal_name: 'x' }).search_words).toBe('al doha');
    expect(searchedColumns('payment', { check_number: 'CHK-1', notes: 'x' }).search_words).toBe('chk-1');
  });

  it('reads the status, and the date of a document', () => {
    expect(searchedColumns('invoice', { status: 'paid', invoice_date: '2026-02-01' })).toEqual({
      status: 'paid',
      document_date: '2026-02-01',
      amount_order: null,
      search_words: null,
    });
    expect(searchedColumns('payment', { date: '2026-03-01' }).document_date).toBe('2026-03-01');
    expect(searchedColumns('project', { start_date: '2026-03-01', name: null })).toEqual({
      status: null,
      document_date: null,
      amount_order: null,
      search_words: null,
    });
  });
});

describe('amountOrder', () => {
  it('orders amounts as numbers, whatever their currency', () => {
    const money = fc.record({
      amount: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -2_000, max: 2_000 })),
      currency: fc.constantFrom('JPY', 'USD', 'KWD', 'CLF'),
    });
    const valueOf = ({ amount, currency }: Money) => BigInt(amount) * 10n ** BigInt(4 - exponentOf(currency));
    fc.assert(
      fc.property(money, money, (one, other) => {
        const [first, second] = [amountOrder(one), amountOrder(other)];
        expect(first < second).toBe(valueOf(one) < valueOf(other));
        expect(first === second).toBe(valueOf(one) === valueOf(other));
        expect(first).toMatch(/^[0-]\d{20}$/);
      }),
    );
  });
});

describe('wordsOf', () => {
  it('gives words that the index takes, whatever the text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(fc.oneof(text, fc.constant('ﷺ'.repeat(300)), fc.constant('𝔸'.repeat(300))), (any) => {
        for (const word of wordsOf(any)) {
          expect(word).toMatch(/^[^\s]+$/u);
          expect(Buffer.byteLength(word)).toBeLessThanOrEqual(400);
        }
      }),
    );
  });

  it('finds the beginning of a word by the beginning of the text', () => {
    const [word = ''] = wordsOf('Doha');
    expect(word.startsWith(wordsOf(' DO')[0] ?? '-')).toBe(true);
  });
});
