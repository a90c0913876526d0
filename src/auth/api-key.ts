import { hash } from 'node:crypto';
import { randomBase62 } from '../runtime/tracing/random-base62';

export const KEY_MODES = ['demo', 'test', 'live'] as const;

/** Where a key comes from: a demo session, or the operator, for staging (test) or production (live). */
export type KeyMode = (typeof KEY_MODES)[number];

const form = /^sk_(?:demo|test|live)_[A-Za-z0-9]{32,128}$/;
// 40 of 62 letters: 238 bits.
const secretLength = 40;

/** Makes a new key. Only its hash is stored. */
export function generateKey(mode: KeyMode): string {
  return `sk_${mode}_${randomBase62(secretLength)}`;
}

/** Whether a text has the form of a key; any other text need not be looked up. */
export function hasKeyForm(text: string): boolean {
  return form.test(text);
}

/** SHA-256 in hex. A plain hash is enough for a secret that is random: there is no dictionary to try. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}

/** What listings show of a key, so that its owner recognises it: prefix and last four letters. */
export function hintOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`;
}

/** The key of an Authorization header, if it is `Bearer` with something of a key's form. */
export function keyFromHeader(headers: readonly string[]): string | undefined {
  const [header, ...others] = headers;
  // Given twice, nobody can say which one counts.
  if (header === undefined || others.length > 0) return undefined;
  const [, key] = /^Bearer +([^\s]+) *$/i.exec(header) ?? [];
  return key !== undefined && hasKeyForm(key) ? key : undefined;
}
