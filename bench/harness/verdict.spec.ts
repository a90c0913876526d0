import type { Measurement } from './figure';
import { achieved, markText, valueOf, verdictOf } from './verdict';

function measured(ratios: readonly number[], more: Partial<Measurement> = {}): Measurement {
  return {
    name: 'P0',
    ours: 'ours',
    floor: 'floor',
    unit: 's',
    comparison: 'rate',
    mark: { atLeast: 0.5 },
    repetitions: ratios.map((ratio) => ({ floorBefore: 1, ours: ratio, floorAfter: 1, ratio })),
    voided: 0,
    unsteady: false,
    ...more,
  };
}

describe('a verdict', () => {
  it('looks at the median', () => {
    expect(valueOf(measured([0.1, 0.6, 0.7]))).toBe(0.6);
    expect(verdictOf(measured([0.1, 0.6, 0.7]))).toBe('green');
    expect(verdictOf(measured([0.1, 0.4, 0.7]))).toBe('red');
  });

  it('is green on the mark itself, whichever way it points', () => {
    expect(verdictOf(measured([0.5]))).toBe('green');
    expect(verdictOf(measured([1.3], { mark: { atMost: 1.3 } }))).toBe('green');
    expect(verdictOf(measured([1.31], { mark: { atMost: 1.3 } }))).toBe('red');
  });

  it('is never green or red for what was unsteady', () => {
    expect(verdictOf(measured([0.9], { unsteady: true }))).toBe('unsteady');
  });

  it('is open where the machine does not allow one, and none without a mark', () => {
    expect(verdictOf(measured([0.1], { withoutVerdict: 'too few cores' }))).toBe('open');
    const { mark, ...informing } = measured([0.1]);
    expect(mark).toBeDefined();
    expect(verdictOf(informing)).toBe('none');
  });
});

describe('what is achieved of a mark', () => {
  it('is more than one beyond it, whichever way it points', () => {
    expect(achieved({ atLeast: 0.5 }, 1)).toBe(2);
    expect(achieved({ atMost: 3 }, 1.5)).toBe(2);
  });
});

describe('a mark as text', () => {
  it('says which way it points', () => {
    expect([markText({ atLeast: 0.6 }), markText({ atMost: 3 }), markText(undefined)]).toEqual([
      '≥ 0.6',
      '≤ 3',
      '',
    ]);
  });
});
