import type { QueryClient } from '@tanstack/react-query';

/** What shows records, or what became of their changes. */
const shown = ['object', 'objects', 'history', 'changes', 'cases', 'statement', 'signoffs'] as const;

/** Reads again whatever shows records, now where it is open: one of them was changed. */
export async function readAgainAfterChange(queries: QueryClient): Promise<void> {
  await Promise.all(shown.map((name) => queries.invalidateQueries({ queryKey: [name] })));
}
