import type { ChangeCause } from '../../records/changes';

/** Who decides, as far as records are matched anew by it. */
export interface DecisionContext {
  readonly customerId: string;
  readonly cause: ChangeCause;
}
