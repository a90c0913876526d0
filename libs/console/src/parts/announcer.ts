import { useSyncExternalStore } from 'react';

let said: { readonly text: string; readonly number: number } = { text: '', number: 0 };
const listeners = new Set<() => void>();

/** Says in a sentence what an act has done, to people who do not see it. */
export function announce(text: string): void {
  said = { text, number: said.number + 1 };
  for (const listener of listeners) listener();
}

/** What was said last. The number tells the same sentence twice from once. */
export function useSaid(): typeof said {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => said,
  );
}
