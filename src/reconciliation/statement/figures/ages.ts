/** The upper limits of the groups of open items, in days. The last group has no limit. */
export const ageLimits = [30, 60, 90] as const;

/** Names of the groups in responses. */
export const ageGroups = ['0-30', '31-60', '61-90', 'over-90'] as const;
export type AgeGroup = (typeof ageGroups)[number];

/** The number of items of each group. */
export type AgeCounts = readonly [number, number, number, number];

/**
 * The start of an age: `seen`, when the item was first seen; `document`, the date of the document; `due`, its due date.
 * An item without a due date counts from the date of its document, and an item without that from when it was first
 * seen.
 */
export const ageBys = ['seen', 'document', 'due'] as const;
export type AgeBy = (typeof ageBys)[number];

export const DAY_MS = 86_400_000;

export function noAges(): [number, number, number, number] {
  return [0, 0, 0, 0];
}

/**
 * The group of an item, by the whole days for which it has been open.
 *
 * @param openedAt milliseconds, like `now`; a future time counts as new
 */
export function ageGroupOf(openedAt: number, now: number): 0 | 1 | 2 | 3 {
  const days = Math.floor((now - openedAt) / DAY_MS);
  if (days <= ageLimits[0]) return 0;
  if (days <= ageLimits[1]) return 1;
  return days <= ageLimits[2] ? 2 : 3;
}

/**
 * The time from which an age is counted, in milliseconds: a day counts from its start in UTC.
 *
 * @param seen when the item was first seen, in milliseconds
 */
export function agedFrom(
  by: AgeBy,
  seen: number,
  { date, due }: { readonly date: string | null; readonly due: string | null },
): number {
  const day = by === 'seen' ? null : by === 'due' ? (due ?? date) : date;
  return day === null ? seen : Date.parse(day);
}

/**
 * The period in which an item of a group was opened: after `after` and not after `until`, in milliseconds; undefined
 * for an open end.
 */
export function openedBetween(
  group: AgeGroup,
  now: number,
): { readonly after: number | undefined; readonly until: number | undefined } {
  const place = ageGroups.indexOf(group);
  const oldest = ageLimits[place];
  const youngest = ageLimits[place - 1];
  return {
    // An item has the age of a limit until the next day has passed.
    after: oldest === undefined ? undefined : now - (oldest + 1) * DAY_MS,
    until: youngest === undefined ? undefined : now - (youngest + 1) * DAY_MS,
  };
}
