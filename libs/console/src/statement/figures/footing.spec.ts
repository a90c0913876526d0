import { fc } from '../../../../mapper/src/testing/property';
import { footingOf } from './footing';

const money = (amount: number, currency = 'USD') => ({ amount, currency });
const line = (amount: number, currency?: string) => ({ cause: 'ambiguous', amount: money(amount, currency) });

describe('footingOf', () => {
  it('foots where the lines lead from one sum to the other', () => {
    const totals = { from: { sum: money(16000) }, lines: [line(-700), line(900)], to: { sum: money(16200) } };
    expect(footingOf(totals)).toEqual({ foots: true, difference: 200n });
  });

  it('finds a difference of one minor unit in sums beyond 2^53', () => {
    const lines = Array.from({ length: 3 }, () => line(Number.MAX_SAFE_INTEGER));
    const totals = {
      from: { sum: money(-Number.MAX_SAFE_INTEGER) },
      lines: [...lines, line(-Number.MAX_SAFE_INTEGER)],
    };
    expect(footingOf({ ...totals, to: { sum: money(Number.MAX_SAFE_INTEGER) } })).toMatchObject({
      foots: true,
    });
    expect(footingOf({ ...totals, to: { sum: money(Number.MAX_SAFE_INTEGER - 1) } })).toEqual({
      foots: false,
      why: 'other_sum',
      excess: 1n,
    });
  });

  it('adds neither two currencies nor what a browser has rounded', () => {
    const totals = { from: { sum: money(0) }, lines: [line(0, 'QAR')], to: { sum: money(0) } };
    expect(footingOf(totals)).toEqual({ foots: false, why: 'other_currency' });
    const large = { ...totals, lines: [], to: { sum: money(2 ** 53) } };
    expect(footingOf(large)).toEqual({ foots: false, why: 'not_exact' });
  });

  it('is the same in any order of the lines, and notices any change of one of them', () => {
    const amounts = fc.array(fc.integer(), { minLength: 1 });
    fc.assert(
      fc.property(amounts, fc.integer(), fc.integer().filter(Boolean), (all, first, change) => {
        const to = { sum: money(all.reduce((sum, one) => sum + one, first)) };
        const from = { sum: money(first) };
        expect(footingOf({ from, lines: all.toReversed().map((one) => line(one)), to }).foots).toBe(true);
        const [one = 0, ...rest] = all;
        expect(footingOf({ from, lines: [one + change, ...rest].map((each) => line(each)), to }).foots).toBe(
          false,
        );
      }),
    );
  });
});
