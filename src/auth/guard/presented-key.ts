import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../common/headers/header-values';
import { hashKey, keyFromHeader } from '../keys/api-key';

/** The last header with a key on a connection, and the hash of that key. */
interface Presented {
  readonly header: string;
  readonly hash: string;
}

/**
 * The last key of each open connection. Clients repeat the same key, and a hash costs more than a lookup in this map.
 */
const last = new WeakMap<object, Presented>();

/** Maximum characters of a cached header. A key and its scheme have fewer. */
const LONGEST = 256;

/** The hash of the key that a request presents; undefined if the header has no text in the form of a key. */
export function presentedHash(request: Pick<IncomingMessage, 'rawHeaders' | 'socket'>): string | undefined {
  const headers = headerValues(request, 'authorization');
  const [header] = headers;
  const known = last.get(request.socket);
  if (known !== undefined && known.header === header && headers.length === 1) return known.hash;
  const key = keyFromHeader(headers);
  if (key === undefined || header === undefined) return undefined;
  const hash = hashKey(key);
  if (header.length <= LONGEST) last.set(request.socket, { header, hash });
  return hash;
}
