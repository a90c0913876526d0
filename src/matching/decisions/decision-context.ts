import type { ChangeCause } from '../../records/changes/change-cause';

/** Who decides, as far as records are matched anew by it. */
export interface DecisionContext {
  readonly cause: ChangeCause;
}
