import type { QueryClient } from '@tanstack/react-query';

/** What shows cases, by the first part of its name. */
const cases = ['cases', 'case', 'statement', 'signoffs'] as const;
/** What shows objects. */
const objects = ['object', 'objects', 'found', 'history'] as const;

/** Reads again whatever shows records, or what became of their changes: one of them was changed. */
export function readAgainAfterChange(queries: QueryClient): Promise<void> {
  return readAgain(queries, [...objects, ...cases, 'changes']);
}

/** Reads again whatever shows which records are one: that was decided, or is no longer decided. */
export function readAgainAfterDecision(queries: QueryClient): Promise<void> {
  return readAgain(queries, [...objects, ...cases, 'decisions']);
}

/** Reads again whatever shows cases: some were assigned, accepted or annotated. */
export function readAgainAfterReview(queries: QueryClient): Promise<void> {
  return readAgain(queries, cases);
}

/** Reads again whatever shows records, and which platforms and currencies the customer has: a platform was read. */
export function readAgainAfterReading(queries: QueryClient): Promise<void> {
  return readAgain(queries, [...objects, ...cases, 'me']);
}

/** Reads again what has such names: now where it is open, else when it is opened. */
async function readAgain(queries: QueryClient, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
}
