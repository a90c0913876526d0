import type { Case } from '../data/cases';

/** The cases that a person has ticked, by their IDs; also those of other pages of the same list. */
export type Choice = ReadonlyMap<string, Case>;

/** The most cases that one request may change. */
export const MOST = 500;

/** The choice with a case added, or removed if it was chosen. More than {@link MOST} cases are not added. */
export function toggled(choice: Choice, one: Case): Choice {
  const next = new Map(choice);
  if (!next.delete(one.id) && next.size < MOST) next.set(one.id, one);
  return next;
}

/** The chosen cases as they were read last, so that no action relies on a state that another person has changed. */
export function renewed(choice: Choice, rows: readonly Case[]): readonly Case[] {
  const now = new Map(rows.map((row) => [row.id, row]));
  return [...choice.values()].map((one) => now.get(one.id) ?? one);
}
