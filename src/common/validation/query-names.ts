/** The most unknown names that a refusal shows, and the most characters of each. */
const SHOWN = { names: 10, characters: 40 } as const;

/**
 * The problems of a query's names: one for each unknown name.
 *
 * @param query as it was parsed, without a prototype
 * @param isKnown whether the route reads a parameter of this name
 */
export function unknownParameters(query: unknown, isKnown: (name: string) => boolean): readonly string[] {
  if (typeof query !== 'object' || query === null) return [];
  const unknown = Object.keys(query).filter((name) => !isKnown(name));
  const shown = unknown.slice(0, SHOWN.names).map((name) => `${shortened(name)} is no query parameter here`);
  const more = unknown.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more query parameters are unknown`];
}

function shortened(name: string): string {
  const short = name.length > SHOWN.characters ? `${name.slice(0, SHOWN.characters)}…` : name;
  return /^[\w.[\]-]+…?$/.test(short) ? short : JSON.stringify(short);
}
