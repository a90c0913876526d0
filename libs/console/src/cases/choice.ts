import type { Case } from '../data/cases';

/** The cases that a person has ticked, by their IDs; also those of other pages of the same list. */
export type Choice = ReadonlyMap<string, Case>;

/** What one request may change, at most. */
export const MOST = 500;

/** With a case taken in, or left out. More than {@link MOST} are not taken in. */
export function toggled(choice: Choice, one: Case): Choice {
  const next = new Map(choice);
  if (!next.delete(one.id) && next.size < MOST) next.set(one.id, one);
  return next;
}

/** With the rows as they were read last: a state that another person has changed is not acted upon. */
export function renewed(choice: Choice, rows: readonly Case[]): readonly Case[] {
  const now = new Map(rows.map((row) => [row.id, row]));
  return [...choice.values()].map((one) => now.get(one.id) ?? one);
}
