/** Characters of a path. */
const LONGEST_PATH = 2_000;

// RFC 3986, without `;`: some servers cut a segment there, so that `..;` climbs.
const pathForm = /^(?:\/(?:[\w.~!$&'()*+,=:@-]|%[\dA-Fa-f]{2})+)+$/;

// Servers and proxies that decode once more, or take a backslash for a slash, would see another path.
const ambiguous = /[/\\%?#\p{Cc}]/u;

/** The decoded segments of a path, or the reason why the path is refused. */
export type ReadPath = { readonly segments: readonly string[] } | { readonly problem: string };

/**
 * Reads a path that a caller has composed. Every server reads an accepted path the same way: it has no empty and no dot
 * segments, and its escapes stand for nothing that structures an address.
 */
export function readPath(path: string): ReadPath {
  if (path.length > LONGEST_PATH) return { problem: `must have at most ${LONGEST_PATH} characters` };
  if (!pathForm.test(path)) {
    return {
      problem:
        'must begin with a single slash and be a path alone: no scheme, host, query, fragment, backslash, semicolon or empty segment, other characters percent-encoded',
    };
  }
  const segments: string[] = [];
  for (const escaped of path.slice(1).split('/')) {
    const segment = decoded(escaped);
    if (segment === undefined) return { problem: 'must be percent-encoded UTF-8' };
    if (segment === '.' || segment === '..') return { problem: 'must not have . or .. as a segment' };
    if (ambiguous.test(segment)) {
      return {
        problem: 'must not escape slashes, backslashes, percent signs, ?, # or control characters',
      };
    }
    segments.push(segment);
  }
  return { segments };
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
