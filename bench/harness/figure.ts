import type { Databases } from './databases';
import type { Progress } from './progress';

/** What a figure must reach. */
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
  /** The figure, and what was varied: `P5 200 records`. */
  readonly name: string;
  readonly ours: string;
  readonly floor: string;
  /** What the two sides are counted in: `answers/s`, `s`, `MiB`. */
  readonly unit: string;
  readonly comparison: Comparison;
  /** Undefined for a row that only informs. */
  readonly mark?: Mark;
  readonly repetitions: readonly Repetition[];
  /** Measurements that were repeated because their floors differed. */
  readonly voided: number;
  /** The floors differed too often: the values are shown, and count for nothing. */
  readonly unsteady: boolean;
  /** Why there is no verdict although there is a mark, such as too few cores. */
  readonly withoutVerdict?: string;
  /** More that a reader wants to know: shares of CPU, absolute values. */
  readonly notes?: readonly string[];
}

/** What a figure runs with. */
export interface Bench {
  readonly databases: Databases;
  readonly progress: Progress;
  /** Smaller data and shorter windows: for trying things out, not for publishing. */
  readonly quick: boolean;
  /** Whether rows of this ID were asked for. A figure may leave the others out. */
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
