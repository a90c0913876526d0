import { randomBytes } from 'node:crypto';

/** Bytes that are drawn at once: a draw of the system's generator costs much more than its bytes. */
const POOL_BYTES = 8 * 1024;

let pool = Buffer.alloc(0);
let used = 0;

/**
 * Random bytes for what may be read by others, such as IDs. They stay in memory for a while, so secrets are drawn by
 * themselves.
 *
 * @param length at most 8 KiB
 */
export function pooledRandomBytes(length: number): Buffer {
  take(length);
  return pool.subarray(used - length, used);
}

/** The same in hexadecimal. */
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
