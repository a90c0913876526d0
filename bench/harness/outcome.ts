import type { Measurement } from './figure';
import type { Machine } from './machine';

/** The results of a run. */
export interface Outcome {
  readonly machine: Machine;
  /** Smaller data and fewer repetitions: not to be published. */
  readonly quick: boolean;
  readonly measurements: readonly Measurement[];
}
