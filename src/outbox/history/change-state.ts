/**
 * The states of a change as a whole, in order of precedence. A change has the first of `held`, `uncertain`, `pending`
 * and `rejected` that applies to one of its platforms, otherwise `settled`.
 */
export const changeStates = ['held', 'uncertain', 'pending', 'rejected', 'settled'] as const;

export type ChangeState = (typeof changeStates)[number];

/** The state of a change by the statuses of its platforms. Pure. */
export function changeStateOf(statuses: readonly string[]): ChangeState {
  return changeStates.find((state) => statuses.includes(state)) ?? 'settled';
}
