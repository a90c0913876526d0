import { hash } from 'node:crypto';
import { randomBase62 } from '../runtime/tracing/random-base62';

/** 43 of 62 letters: 256 bits. */
const LENGTH = 43;
const form = /^[A-Za-z0-9]{43}$/;

/** The random part of an address, or a secret. Only hashes are stored. */
export function newToken(): string {
  return randomBase62(LENGTH);
}

/** Whether a text has the form of a token; any other text need not be looked up. */
export function hasTokenForm(text: string): boolean {
  return form.test(text);
}

/** SHA-256 in hex. A plain hash is enough for what is random. */
export function hashOf(token: string): string {
  return hash('sha256', token);
}

/** What all addresses of a platform begin with. */
export function addressesOf(publicUrl: string, platform: string): string {
  return `${publicUrl}/webhooks/${platform}/`;
}

/** The hash of the random part of an address; undefined where it has none. The host does not matter: ours may have changed. */
export function hashIn(url: string): string | undefined {
  const token = url.slice(url.lastIndexOf('/') + 1);
  return hasTokenForm(token) ? hashOf(token) : undefined;
}
