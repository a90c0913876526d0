import type { KeyboardEvent } from 'react';

/** The row to go to from another one; undefined where there is none. From no row it is the first. */
export function rowAfter(row: number | undefined, key: string, rows: number): number | undefined {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined;
  if (step === undefined) return undefined;
  const next = row === undefined ? 0 : row + step;
  return next >= 0 && next < rows ? next : undefined;
}

/**
 * Moves the focus from row to row of a table with the arrow keys, to the element that names the row; Enter opens it
 * there. In a text field or a select the arrow keys keep their own function.
 */
export function onArrow(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
  if (!(event.target instanceof Element)) return;
  if (event.target.closest('dialog, select, textarea, input:not([type="checkbox"])') !== null) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLTableRowElement>('tbody > tr')];
  const own = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rowAfter(own === -1 ? undefined : own, event.key, rows.length);
  const link = next === undefined ? null : rows[next]?.querySelector<HTMLElement>('th a');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
