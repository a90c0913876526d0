const space = 0x20;
const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** How much structure a JSON text may have. */
export interface StructureLimits {
  /** Levels of nesting; `{}` is one level. */
  readonly levels: number;
  /** Objects and lists, the outermost included. Each costs as much as a hundred characters of text. */
  readonly containers: number;
  /** Different names of members. Objects with names that no other object has cost most to parse. */
  readonly names: number;
}

/**
 * Which limit a JSON text exceeds first, or undefined. A scan without recursion, made before parsing, so that no later
 * step meets a document that is deep enough to exhaust a stack, or that costs far more than its size.
 */
export function exceededLimit(text: string, limits: StructureLimits): keyof StructureLimits | undefined {
  // A member takes four characters, so a short text cannot have too many names, and they need not be gathered.
  const names = text.length > 4 * limits.names ? new Set<string>() : undefined;
  // Most texts are short and have few brackets, which costs much less to find out than what the brackets are.
  if (names === undefined && hasFewBrackets(text, Math.min(limits.levels, limits.containers)))
    return undefined;
  let depth = 0;
  let containers = 0;
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charCodeAt(position);
    if (character === quote) {
      const end = endOfString(text, position);
      if (names !== undefined && isFollowedByColon(text, end + 1)) {
        names.add(text.slice(position + 1, end));
        if (names.size > limits.names) return 'names';
      }
      position = end;
    } else if (character === openBrace || character === openBracket) {
      depth += 1;
      containers += 1;
      if (depth > limits.levels) return 'levels';
      if (containers > limits.containers) return 'containers';
    } else if (character === closeBrace || character === closeBracket) {
      depth -= 1;
    }
  }
  return undefined;
}

/** Whether a text opens at most so many objects and lists, even if all its brackets do and none is in a string. */
function hasFewBrackets(text: string, most: number): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      found += 1;
      if (found > most) return false;
    }
  }
  return true;
}

/** Position of the quote that ends the string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    const character = text.charCodeAt(position);
    if (character === quote) return position;
    if (character === backslash) position += 1;
  }
  return text.length;
}

function isFollowedByColon(text: string, start: number): boolean {
  let position = start;
  while (text.charCodeAt(position) <= space) position += 1;
  return text.charCodeAt(position) === colon;
}
