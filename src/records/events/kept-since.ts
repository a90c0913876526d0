/** The time from which on events are kept; null if all are kept. @param life milliseconds for which they are kept; 0 for ever */
export function keptSince(life: number, now: Date): Date | null {
  return life === 0 ? null : new Date(now.getTime() - life);
}
