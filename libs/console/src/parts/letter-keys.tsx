import type { KeyboardEvent, ReactNode } from 'react';
import { useKept } from '../data/kept';

/** What a letter does; undefined where it cannot be done now. */
export type Acts = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Runs the action of a letter key. A letter that is typed into a field or a dialog is ordinary text, and a letter with
 * a control key belongs to the browser.
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

/** Puts the focus into a field; undefined where there is none. */
export function focusOf(field: HTMLElement | null): (() => void) | undefined {
  return field === null ? undefined : () => field.focus();
}

/** Whether letters act, as this person has set it, and how to set it. */
export function useLetters(): [boolean, (isOn: boolean) => void] {
  return useKept('letters', true);
}

/** Says what `/` does on a screen with a search, beside the switch for it. */
export function SlashHint(): ReactNode {
  return (
    <span>
      <kbd>/</kbd> leads to the search of this screen.
    </span>
  );
}

interface LetterSwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Letters may get in the way of those who speak to their browser: each screen that has some can switch them off. */
export function LetterSwitch({ isOn, onChange }: LetterSwitchProps): ReactNode {
  return (
    <label className="inline">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />{' '}
      Letter keys
    </label>
  );
}
