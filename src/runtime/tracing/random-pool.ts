import { randomBytes } from 'node:crypto';

/** Bytes of one draw: a draw from the system's generator costs much more than its bytes. */
const POOL_BYTES = 8 * 1024;

let pool = Buffer.alloc(0);
let used = 0;

/**
 * Random bytes for public values, such as IDs. They stay in memory for a while, so secrets must be drawn separately.
 *
 * @param length at most 8 KiB
 */
export function pooledRandomBytes(length: number): Buffer {
  take(length);
  return pool.subarray(used - length, used);
}

/** Like {@link pooledRandomBytes}, in hexadecimal. */
export function pooledRandomHex(bytes: number): string {
  take(bytes);
  return pool.toString('hex', used - bytes, used);
}

function take(bytes: number): void {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += bytes;
}
