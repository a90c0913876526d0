import type { ChangeCause } from '../../records/changes.repository';

/** Who decides, as far as records are matched anew by it. */
export interface DecisionContext {
  readonly cause: ChangeCause;
}
