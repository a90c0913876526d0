import { focusHeading } from '../focus-heading';

/** Milliseconds in which what an act has changed is read again, and drawn. */
const FOLLOWED = 10_000;

/**
 * Moves the focus to the heading of the screen if the focused element disappears within some seconds, as a button does
 * together with its row. Otherwise keyboard users would start again at the top of the page.
 */
export function followFocus(): void {
  const holder = document.activeElement;
  if (holder === null || holder === document.body) return focusHeading();
  const watch = new MutationObserver(() => {
    if (holder.isConnected) return;
    watch.disconnect();
    if (document.activeElement === document.body) focusHeading();
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), FOLLOWED);
}
