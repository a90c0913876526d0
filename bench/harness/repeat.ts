import type { Bench, Comparison } from './figure';
import { measurePaired, type Paired } from './paired';
import type { Progress } from './progress';

/** Measures with the number of repetitions of this run. */
export function repeat(
  { quick }: Bench,
  progress: Progress,
  comparison: Comparison,
  sides: { readonly floor: () => Promise<number>; readonly ours: () => Promise<number> },
  { warmUps = 1, repetitions = 5 }: { readonly warmUps?: number; readonly repetitions?: number } = {},
): Promise<Paired> {
  const count = quick ? Math.min(3, repetitions) : repetitions;
  return measurePaired({
    comparison,
    repetitions: count,
    warmUps,
    retries: 2 * count,
    ...sides,
    report: progress.say,
  });
}
