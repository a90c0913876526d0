import type { IncomingMessage } from 'node:http';
import { headerValues } from '../common/headers/header-values';
import { hashKey, keyFromHeader } from './api-key';

/** The header of a connection's last request with a key, and the hash of that key. */
interface Presented {
  readonly header: string;
  readonly hash: string;
}

/** Of each connection, as long as it is open. Clients send the same key again and again, and a hash costs more than a look. */
const last = new WeakMap<object, Presented>();

/** Characters of a header that is remembered: a key and its scheme have fewer. */
const LONGEST = 256;

/** The hash of the key that a request presents; undefined without something of a key's form. */
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
