/**
 * The states of a change as a whole, in order of precedence. A change has the first state that applies to one of its
 * platforms, so a write that waits for a person comes before all others. Without any of them it is `settled`.
 */
export const changeStates = ['held', 'uncertain', 'pending', 'rejected', 'settled'] as const;

export type ChangeState = (typeof changeStates)[number];

/** The state of a change by the statuses of its platforms. Pure. */
export function changeStateOf(statuses: readonly string[]): ChangeState {
  return changeStates.find((state) => statuses.includes(state)) ?? 'settled';
}
