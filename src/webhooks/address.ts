import { hash } from 'node:crypto';
import { randomBase62 } from '../runtime/tracing/random-base62';

/** 43 characters out of 62: 256 bits. */
const LENGTH = 43;
const form = /^[A-Za-z0-9]{43}$/;

/** Generates the random part of an address, or a secret. Only hashes are stored. */
export function newToken(): string {
  return randomBase62(LENGTH);
}

/** Whether a text has the form of a token. Any other text needs no lookup. */
export function hasTokenForm(text: string): boolean {
  return form.test(text);
}

/** SHA-256 in hex. A plain hash is sufficient for random input. */
export function hashOf(token: string): string {
  return hash('sha256', token);
}

/** The common prefix of all addresses of a platform. */
export function addressesOf(publicUrl: string, platform: string): string {
  return `${publicUrl}/webhooks/${platform}/`;
}

/**
 * The hash of the random part of an address; undefined if it has none. The host is ignored, because the service's host
 * may have changed.
 */
export function hashIn(url: string): string | undefined {
  const token = url.slice(url.lastIndexOf('/') + 1);
  return hasTokenForm(token) ? hashOf(token) : undefined;
}
