import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';

const keyOf = (name: string): readonly unknown[] => ['kept', name];

/** The value that was kept last under a name; undefined if none was. */
export function keptAs<Value>(queries: QueryClient, name: string): Value | undefined {
  return queries.getQueryData<{ readonly value: Value }>(keyOf(name))?.value;
}

/** Keeps a value in the session's cache, and nowhere else: it outlives its screen, but not the session. */
export function keep(queries: QueryClient, name: string, value: unknown): void {
  // The value itself is kept, and no copy of it, so that the screen that kept it can tell whether it is still the last one.
  queries.setQueryDefaults(keyOf(name), { gcTime: Infinity, structuralSharing: false });
  queries.setQueryData(keyOf(name), { value });
}

/** A state that is kept, followed as it changes: also where a screen that is gone has kept it. */
export function useKept<Value>(name: string, first: Value): [Value, (value: Value) => void] {
  const queries = useQueryClient();
  // Not `useQuery`, which tells of a change in a later turn. Until then a field would have the text before, and its cursor would
  // go to the end.
  const follow = useCallback(
    (listener: () => void) => queries.getQueryCache().subscribe(listener),
    [queries],
  );
  const value = useSyncExternalStore(follow, () => keptAs<Value>(queries, name));
  return [value ?? first, (next) => keep(queries, name, next)];
}

/** The name under which this person decides, as they wrote it last. */
export function usePerson(): [string, (name: string) => void] {
  return useKept('person', '');
}
