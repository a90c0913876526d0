/** The decoded parameters of a path. */
export type PathParameters = Readonly<Record<string, string>>;

interface Route<Handler> {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: Handler;
}

/** The result of a lookup: a handler, or the other methods of the path, or nothing. */
export type Routed<Handler> =
  | { readonly kind: 'handler'; readonly handler: Handler; readonly parameters: PathParameters }
  | { readonly kind: 'other_methods'; readonly methods: readonly string[] }
  | { readonly kind: 'unknown' };

/**
 * Finds handlers by method and path. A pattern is a path with `{name}` for what varies inside a segment
 * (`/projects/{id}`, `/companies({company})/customers`), or a regular expression with named groups that must match
 * the whole path. The first route that matches counts. A handler is whatever the platform says it is.
 */
export class Router<Handler> {
  private readonly routes: Route<Handler>[] = [];

  route(method: string, pattern: string | RegExp, handler: Handler): this {
    this.routes.push({ method, pattern: expressionOf(pattern), handler });
    return this;
  }

  find(method: string, path: string): Routed<Handler> {
    const methods: string[] = [];
    for (const route of this.routes) {
      const match = route.pattern.exec(path);
      if (match === null) continue;
      const parameters = decodedGroups(match);
      if (parameters === undefined) continue;
      if (route.method === method) return { kind: 'handler', handler: route.handler, parameters };
      methods.push(route.method);
    }
    return methods.length === 0 ? { kind: 'unknown' } : { kind: 'other_methods', methods };
  }
}

function expressionOf(pattern: string | RegExp): RegExp {
  const source =
    typeof pattern === 'string'
      ? pattern
          .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
          .replaceAll(/\{(\w+)\}/g, String.raw`(?<$1>[^/()]+)`)
      : pattern.source;
  return new RegExp(`^(?:${source})$`, typeof pattern === 'string' ? '' : pattern.flags.replace(/[gy]/g, ''));
}

function decodedGroups({ groups }: RegExpExecArray): PathParameters | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups ?? {})
        .filter((entry): entry is [string, string] => (entry[1] as string | undefined) !== undefined)
        .map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    // A malformed escape sequence matches nothing.
    return undefined;
  }
}
