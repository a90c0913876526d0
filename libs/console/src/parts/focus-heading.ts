/** Moves the focus to the heading of the screen, after the focused element and the button that led to it are gone. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
