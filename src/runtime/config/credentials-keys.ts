import { createSecretKey, type KeyObject } from 'node:crypto';
import { Unfit } from './setting-values';

/** A key that encrypts the keys of stored credentials. Printing the object does not reveal it. */
export interface MasterKey {
  /** Stored beside the keys that it encrypts, and shown to operators. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The length of a master key, in bytes: that of AES-256. */
const KEY_BYTES = 32;

const form = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses `id:base64[,id:base64…]`. The first key encrypts, all keys decrypt.
 *
 * @throws Unfit that names a wrong entry by its position, without its content
 */
export function parseCredentialsKeys(text: string): readonly MasterKey[] {
  const keys: MasterKey[] = [];
  for (const entry of text.split(',')) {
    const key = keyFrom(entry.trim());
    if (key === undefined || keys.some(({ id }) => id === key.id)) {
      throw new Unfit(
        `comma separated keys such as 2026-01:<base64 of ${KEY_BYTES} bytes>, each with an ID of its own (see entry ${keys.length + 1})`,
      );
    }
    keys.push(key);
  }
  return keys;
}

function keyFrom(entry: string): MasterKey | undefined {
  const [, id, base64] = form.exec(entry) ?? [];
  if (id === undefined || base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  // The last character has two spare bits. A different spelling of the same key is a typing error.
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== base64) return undefined;
  return { id, key: createSecretKey(bytes) };
}
