import type { OperatorAction, OperatorDecision } from './operator-decisions.repository';

/** A decision about a command in its public form: the API and the operators' commands show it alike. */
export interface ShownDecision {
  readonly action: OperatorAction;
  readonly reason: string;
  readonly decided_by?: string;
  readonly made_at: string;
}

export function shownDecision({ action, reason, decidedBy, madeAt }: OperatorDecision): ShownDecision {
  return {
    action,
    reason,
    ...(decidedBy !== null && { decided_by: decidedBy }),
    made_at: madeAt.toISOString(),
  };
}
