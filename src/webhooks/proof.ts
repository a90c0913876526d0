import { timingSafeEqual } from 'node:crypto';
import { hashOf } from './address';

/** Maximum number of secrets that one call may present. One is expected, and each costs a hash. */
const MOST_SHOWN = 100;

/** The hash for comparison if no receiver has the address, so that the comparison takes the same time. */
const NOBODYS_HASH = hashOf('');

/**
 * Whether one of the presented secrets has the given hash. Takes the same time for all secrets.
 *
 * @param secretHash undefined if the address has no receiver; the result is then false
 */
export function isProven(shown: readonly string[], secretHash: string | undefined): boolean {
  const expected = Buffer.from(secretHash ?? NOBODYS_HASH, 'hex');
  let found = false;
  for (const secret of shown.slice(0, MOST_SHOWN)) {
    found = timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), expected) || found;
  }
  return found && secretHash !== undefined;
}

/** The secret of an Authorization header; empty if the header occurs twice. */
export function secretsInHeader(values: readonly string[]): readonly string[] {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return [];
  const secret = /^Bearer +(\S+) *$/i.exec(value)?.[1];
  return secret === undefined ? [] : [secret];
}
