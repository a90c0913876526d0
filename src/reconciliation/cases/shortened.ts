/** Characters of a name or a label, beyond which it is cut. A platform's text may have many thousands. */
const LONGEST = 200;

/** A text as a case shows it: at most 200 characters, the last of them an ellipsis where it was longer. */
export function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  // By characters, so that none is cut in half.
  return `${[...text.slice(0, LONGEST)].slice(0, LONGEST - 1).join('')}…`;
}
