import type { Mark, Measurement } from './figure';
import { median } from './statistics';

/**
 * - `green`, `red`: the median reaches the mark, or does not.
 * - `unsteady`: too many measurements were void.
 * - `open`: there is a mark, and a reason why it cannot be judged here.
 * - `none`: the row only informs.
 */
export type Verdict = 'green' | 'red' | 'unsteady' | 'open' | 'none';

/** The number of a measurement: the median of its ratios. */
export function valueOf({ repetitions }: Measurement): number {
  return median(repetitions.map(({ ratio }) => ratio));
}

export function verdictOf(measurement: Measurement): Verdict {
  const { mark, unsteady, withoutVerdict } = measurement;
  if (mark === undefined) return 'none';
  if (withoutVerdict !== undefined) return 'open';
  if (unsteady) return 'unsteady';
  return achieved(mark, valueOf(measurement)) >= 1 ? 'green' : 'red';
}

/** How much of a mark a value reaches: 1 is the mark itself, more is better, whichever way the mark points. */
export function achieved(mark: Mark, value: number): number {
  return 'atLeast' in mark ? value / mark.atLeast : mark.atMost / value;
}

export function markText(mark: Mark | undefined): string {
  if (mark === undefined) return '';
  return 'atLeast' in mark ? `≥ ${mark.atLeast}` : `≤ ${mark.atMost}`;
}
