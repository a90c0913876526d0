import { useSyncExternalStore } from 'react';

let said: { readonly text: string; readonly number: number } = { text: '', number: 0 };
const listeners = new Set<() => void>();

/** Announces a sentence to screen readers. */
export function announce(text: string): void {
  said = { text, number: said.number + 1 };
  for (const listener of listeners) listener();
}

/** The last announcement. Its number changes even if the same sentence is announced again. */
export function useSaid(): typeof said {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => said,
  );
}
