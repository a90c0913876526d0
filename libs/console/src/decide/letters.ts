import type { KeyboardEvent } from 'react';

/** What a letter does; undefined where it cannot be done now. */
export type Acts = Readonly<Record<string, (() => void) | undefined>>;

/** The letters, for the list that `?` shows. */
export const letters = [
  ['K', 'the case before'],
  ['J', 'the next case'],
  ['L', 'link with the chosen record'],
  ['N', 'not the same'],
  ['S', 'leave open, and go on'],
  ['U', 'undo the last decision'],
  ['1–9', 'choose a candidate'],
  ['?', 'show this list, or hide it'],
] as const;

/**
 * Does what a letter stands for. A letter that is typed into a field or a dialog is a letter, and one with a control key belongs
 * to the browser.
 */
export function onLetter(event: KeyboardEvent, acts: Acts): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (!(event.target instanceof Element)) return;
  if (event.target.closest('dialog, textarea, select, input:not([type="radio"], [type="checkbox"])') !== null)
    return;
  const act = acts[event.key.toLowerCase()];
  if (act === undefined) return;
  event.preventDefault();
  act();
}
