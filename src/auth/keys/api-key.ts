import { hash } from 'node:crypto';
import { randomBase62 } from '../../runtime/tracing/random-base62';

export const KEY_MODES = ['demo', 'test', 'live'] as const;

/** The origin of a key: a demo session, or the operator, for staging (test) or production (live). */
export type KeyMode = (typeof KEY_MODES)[number];

const form = /^sk_(?:demo|test|live)_[A-Za-z0-9]{32,128}$/;
// 40 characters out of 62: 238 bits.
const secretLength = 40;

/** Generates a new key. Only its hash is stored. */
export function generateKey(mode: KeyMode): string {
  return `sk_${mode}_${randomBase62(secretLength)}`;
}

/** Whether a text has the form of a key. Any other text needs no lookup. */
export function hasKeyForm(text: string): boolean {
  return form.test(text);
}

/** SHA-256 in hex. A plain hash is sufficient for a random secret, because there is no dictionary to try. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}

/** The part of a key that listings show, so that its owner recognises it: the prefix and the last four characters. */
export function hintOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`;
}

/** The key in an Authorization header of the scheme `Bearer`; undefined unless it has the form of a key. */
export function keyFromHeader(headers: readonly string[]): string | undefined {
  const [header, ...others] = headers;
  // If the header occurs twice, it is unclear which one counts.
  if (header === undefined || others.length > 0) return undefined;
  const [, key] = /^Bearer +([^\s]+) *$/i.exec(header) ?? [];
  return key !== undefined && hasKeyForm(key) ? key : undefined;
}
