import { createSecretKey, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../../src/runtime/config/credentials-keys';

/** A master key with an ID. */
export function masterKey(id: string): MasterKey {
  return { id, key: createSecretKey(randomBytes(32)) };
}

/** Master keys as `CREDENTIALS_KEYS` has them. */
export function keysSetting(...keys: readonly MasterKey[]): string {
  return keys.map(({ id, key }) => `${id}:${key.export().toString('base64')}`).join(',');
}
