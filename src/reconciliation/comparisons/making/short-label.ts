import { cutText } from '@app/mapper';

/** Characters of a name or a label, beyond which it is cut. A platform's text may have many thousands. */
const LONGEST = 200;

/** A text as a case shows it: at most 200 characters, the last of them an ellipsis where it was longer. */
export function shortLabel(text: string): string {
  if (text.length <= LONGEST) return text;
  // Counted by characters, of which each is one or two units.
  return `${[...cutText(text, LONGEST)].slice(0, LONGEST - 1).join('')}…`;
}
