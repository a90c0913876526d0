import type { Databases } from './databases';
import type { Progress } from './progress';

/** The value that a figure must reach. */
export type Mark = { readonly atLeast: number } | { readonly atMost: number };

/**
 * How two measurements become one number.
 *
 * - `rate`: both are work per second; ours over the floor's.
 * - `time`: both are seconds for the same work; the floor's over ours, so more is better again.
 * - `multiple`: both are seconds or bytes; ours over the floor's, so less is better.
 */
export type Comparison = 'rate' | 'time' | 'multiple';

/** One floor – ours – floor. */
export interface Repetition {
  readonly floorBefore: number;
  readonly ours: number;
  readonly floorAfter: number;
  readonly ratio: number;
}

/** One row of the result: a ratio that has a mark, or that only informs. */
export interface Measurement {
  /** The figure and its variant: `P5 200 records`. */
  readonly name: string;
  readonly ours: string;
  readonly floor: string;
  /** The unit of both sides: `answers/s`, `s`, `MiB`. */
  readonly unit: string;
  readonly comparison: Comparison;
  /** Undefined for a row that only informs. */
  readonly mark?: Mark;
  readonly repetitions: readonly Repetition[];
  /** The number of measurements that were repeated because their floors differed. */
  readonly voided: number;
  /** Whether the floors differed too often: the values are shown, and do not count. */
  readonly unsteady: boolean;
  /** Why there is no verdict although there is a mark, such as too few cores. */
  readonly withoutVerdict?: string;
  /** Further facts for the reader: shares of CPU, absolute values. */
  readonly notes?: readonly string[];
}

/** The environment of a figure. */
export interface Bench {
  readonly databases: Databases;
  readonly progress: Progress;
  /** Smaller data and shorter windows, for trials and not for publication. */
  readonly quick: boolean;
  /** Whether rows of this ID are requested. A figure may leave out the others. */
  readonly wants: (id: string) => boolean;
  /** A folder for files of this run. */
  readonly folder: string;
}

/** One figure of the list. */
export interface Figure {
  /** `P1` to `P10`. A figure may measure several rows, also of related IDs such as P2 and P2j. */
  readonly ids: readonly string[];
  readonly title: string;
  /** @throws when a floor cannot be measured, or an answer is wrong */
  run(bench: Bench): Promise<readonly Measurement[]>;
}
