/**
 * The state of a change as a whole, in order of precedence: the first that one of its platforms is in. What waits for a
 * person comes first. Every other outcome is `settled`.
 */
export const changeStates = ['held', 'uncertain', 'pending', 'rejected', 'settled'] as const;

export type ChangeState = (typeof changeStates)[number];

/** The state of a change by the statuses of its platforms. Pure. */
export function changeStateOf(statuses: readonly string[]): ChangeState {
  return changeStates.find((state) => statuses.includes(state)) ?? 'settled';
}
