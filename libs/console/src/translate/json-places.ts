/** Where a value stands in a JSON text. */
export interface JsonPlace {
  /** As the report of a translation writes it: `line_items[].amount`, the same for every item of a list. */
  readonly path: string;
  /** As a refusal writes it: `line_items[2].amount`. */
  readonly exact: string;
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const plain = /^[A-Za-z0-9_$-]+$/;

/** A value that has begun: an object or a list, with what names it. */
interface Open {
  readonly path: string;
  readonly exact: string;
  readonly start: number;
  /** Undefined in an object. */
  index: number | undefined;
  /** The member whose value comes next. */
  name: string | undefined;
}

/** Every value of a JSON text with its position, except the text as a whole. The text must be valid JSON. */
export function placesIn(json: string): JsonPlace[] {
  const places: JsonPlace[] = [];
  const open: Open[] = [];
  const named = (start: number): Omit<Open, 'index' | 'name'> => {
    const owner = open.at(-1);
    if (owner === undefined) return { path: '', exact: '', start };
    if (owner.index !== undefined) {
      return { path: `${owner.path}[]`, exact: `${owner.exact}[${owner.index}]`, start };
    }
    const name = owner.name ?? '';
    return { path: joined(owner.path, name), exact: joined(owner.exact, name), start };
  };
  const add = (value: Omit<Open, 'index' | 'name'>, end: number): void => {
    const owner = open.at(-1);
    if (owner === undefined) return;
    places.push({ path: value.path, exact: value.exact, start: value.start, end });
    owner.name = undefined;
  };
  for (const { 0: token, index: start } of json.matchAll(tokens)) {
    const owner = open.at(-1);
    if (token === '{' || token === '[') {
      open.push({ ...named(start), index: token === '[' ? 0 : undefined, name: undefined });
    } else if (token === '}' || token === ']') {
      const closed = open.pop();
      if (closed !== undefined) add(closed, start + 1);
    } else if (token === ',') {
      if (owner?.index !== undefined) owner.index += 1;
    } else if (token !== ':') {
      if (owner !== undefined && owner.index === undefined && owner.name === undefined) {
        owner.name = String(JSON.parse(token));
      } else add(named(start), start + token.length);
    }
  }
  return places;
}

/** As the service writes paths: a name that is no plain word is quoted. */
function joined(path: string, name: string): string {
  if (!plain.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** The places that paths name, in the order of the text, without those inside of another one. */
export function placesOf(json: string, paths: ReadonlySet<string>): readonly JsonPlace[] {
  if (paths.size === 0) return [];
  const found = placesIn(json)
    .filter(({ path, exact }) => paths.has(path) || paths.has(exact))
    .toSorted((one, other) => one.start - other.start || other.end - one.end);
  let end = -1;
  return found.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

/** The paths of the record that a refusal of the service names: `data.amount: expected …; data.date: …`. */
export function refusedPaths(sentence: string): ReadonlySet<string> {
  return new Set([...sentence.matchAll(/(?:^|; )data\.?([^:\s]+):/g)].map(([, path = '']) => path));
}
