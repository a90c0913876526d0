import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// The largest multiple of 62 within a byte. Larger bytes would favour the first characters.
const fairBytes = 248;

/** Random text of letters and digits. Each character has 5.95 bits of entropy from the system's generator. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < fairBytes && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
