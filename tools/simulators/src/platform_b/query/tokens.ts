import { badQuery } from '../odata-error';

/** A piece of a filter: a text in quotes, a word (a name, number, GUID, date), or a sign. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | ',' };

const piece = /(?:'((?:[^']|'')*)'|([(),])|([^\s(),']+))\s*/y;

/** Cuts a filter into pieces; within quotes, two quotes are one. @throws ODataError where it cannot be read */
export function tokensOf(filter: string): readonly Token[] {
  const tokens: Token[] = [];
  const text = filter.trim();
  let position = 0;
  while (position < text.length) {
    piece.lastIndex = position;
    const match = piece.exec(text);
    if (match === null) throw badQuery(`Syntax error at position ${position} in '${filter}'.`);
    const [, quoted, sign, word] = match;
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll("''", "'") });
    else if (sign === '(' || sign === ')' || sign === ',') tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'word', text: word ?? '' });
    position = piece.lastIndex;
  }
  return tokens;
}
