import type { Measurement } from './figure';
import type { Machine } from './machine';

/** What a run came to. */
export interface Outcome {
  readonly machine: Machine;
  /** Smaller data and fewer repetitions: not to be published. */
  readonly quick: boolean;
  readonly measurements: readonly Measurement[];
}
