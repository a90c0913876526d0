import { timingSafeEqual } from 'node:crypto';
import { hashOf } from './address';

/** Secrets that one call may show; one is meant, and each costs a hash. */
const MOST_SHOWN = 100;

/** Compared with where nobody is at an address, so that it takes as long. */
const NOBODYS_HASH = hashOf('');

/**
 * Whether one of some secrets is the one with a hash. Takes the same time whatever they are.
 *
 * @param secretHash undefined where there is none, which nothing proves
 */
export function isProven(shown: readonly string[], secretHash: string | undefined): boolean {
  const expected = Buffer.from(secretHash ?? NOBODYS_HASH, 'hex');
  let found = false;
  for (const secret of shown.slice(0, MOST_SHOWN)) {
    found = timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), expected) || found;
  }
  return found && secretHash !== undefined;
}

/** The secret of an Authorization header; one that comes twice says nothing. */
export function secretsInHeader(values: readonly string[]): readonly string[] {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return [];
  const secret = /^Bearer +(\S+) *$/i.exec(value)?.[1];
  return secret === undefined ? [] : [secret];
}
