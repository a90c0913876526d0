import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** A state that outlives its screen, but not the session: it is kept in the session's cache, and nowhere else. */
export function useKept<Value>(name: string, first: Value): [Value, (value: Value) => void] {
  const queries = useQueryClient();
  const queryKey = ['kept', name];
  const [value, setValue] = useState(
    () => queries.getQueryData<{ readonly value: Value }>(queryKey)?.value ?? first,
  );
  const keep = (next: Value): void => {
    setValue(next);
    queries.setQueryDefaults(queryKey, { gcTime: Infinity });
    queries.setQueryData(queryKey, { value: next });
  };
  return [value, keep];
}

/** The name under which this person decides, as they wrote it last. */
export function usePerson(): [string, (name: string) => void] {
  return useKept('person', '');
}
