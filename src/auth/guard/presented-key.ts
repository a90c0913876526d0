import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../common/headers/header-values';
import { hashKey, keyFromHeader } from '../keys/api-key';

/** The hash of the key that a request presents; undefined if the header has no text in the form of a key. */
export function presentedHash(request: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const key = keyFromHeader(headerValues(request, 'authorization'));
  return key === undefined ? undefined : hashKey(key);
}
