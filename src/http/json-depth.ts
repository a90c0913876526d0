const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Whether JSON text nests deeper than a number of levels; `{}` is one level. A scan without recursion, made before
 * parsing, so that no later step meets a document deep enough to exhaust a stack.
 */
export function nestsDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charCodeAt(position);
    if (inString) {
      if (character === backslash) position += 1;
      else if (character === quote) inString = false;
    } else if (character === quote) {
      inString = true;
    } else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > levels) return true;
    } else if (character === closeBrace || character === closeBracket) {
      depth -= 1;
    }
  }
  return false;
}
