/** The time from which on events are kept; null where all are. @param life milliseconds, 0 for ever */
export function keptSince(life: number, now: Date): Date | null {
  return life === 0 ? null : new Date(now.getTime() - life);
}
