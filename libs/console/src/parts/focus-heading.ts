/** Takes the focus to the heading of the screen: where what had it has gone, such as a dialog whose button went too. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}
