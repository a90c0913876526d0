/** What a key is for. It shows in the header as long as the key is held. */
export type KeyMode = 'demo' | 'test' | 'live';

/** The mode that a key's prefix names; undefined for another form. */
export function modeOf(key: string): KeyMode | undefined {
  const [, mode] = /^sk_(demo|test|live)_/.exec(key) ?? [];
  return mode === 'demo' || mode === 'test' || mode === 'live' ? mode : undefined;
}

/** Why a pasted text cannot be a key; undefined if it can. Only the service knows whether it is one. */
export function problemOfKey(text: string): string | undefined {
  if (text === '') return 'Paste a key, or open a demo session.';
  if (modeOf(text) === undefined) return 'A key begins with sk_live_, sk_test_ or sk_demo_.';
  // Header values carry visible ASCII alone.
  if (!/^[!-~]+$/.test(text)) return 'A key has no blanks and no letters beyond A to Z.';
  return undefined;
}
