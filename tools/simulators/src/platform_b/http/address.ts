import { badRequest, unknownSegment } from '../odata-error';
import { isGuid } from '../model/fit';

/** A segment of a path: a name, and the key in its parentheses. */
export interface Segment {
  readonly name: string;
  readonly key: Key | undefined;
}

/** A key: a bare GUID, a text in quotes, or a named one (`name='CRONUS'`). */
export type Key =
  | { readonly kind: 'guid'; readonly value: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'named'; readonly field: string; readonly value: string };

/**
 * The segments of a path below the root of an API.
 *
 * @throws ODataError for an escape or a key that cannot be read
 */
export function segmentsOf(path: string): readonly Segment[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => segmentOf(decoded(part)));
}

function segmentOf(part: string): Segment {
  const [match, name = '', , inner] = /^([\w.$]+)(\((.*)\))?$/.exec(part) ?? [];
  if (match === undefined) throw unknownSegment(part);
  return { name, key: inner === undefined ? undefined : keyOf(inner) };
}

function keyOf(inner: string): Key {
  if (isGuid(inner)) return { kind: 'guid', value: inner.toLowerCase() };
  const [quoted, text] = /^'((?:[^']|'')*)'$/.exec(inner) ?? [];
  if (quoted !== undefined) return { kind: 'text', value: (text ?? '').replaceAll("''", "'") };
  const [named, field = '', value = ''] = /^(\w+)='((?:[^']|'')*)'$/.exec(inner) ?? [];
  if (named !== undefined) return { kind: 'named', field, value: value.replaceAll("''", "'") };
  const [byId, id = ''] = /^id=(.*)$/.exec(inner) ?? [];
  if (byId !== undefined && isGuid(id)) return { kind: 'guid', value: id.toLowerCase() };
  throw badRequest(`The key '${inner}' of the segment is not valid.`, 'BadRequest_InvalidRequestUrl');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('The request URI is not valid.', 'BadRequest_InvalidRequestUrl');
  }
}
