import { ChangeRefused } from './refusal';

/** Bytes of a record's JSON text, in UTF-8: no change makes one larger. */
export const LARGEST_RECORD = 256 * 1024;

/**
 * Refuses a record that would be too large.
 *
 * @throws ChangeRefused `untranslatable`
 */
export function refuseLargeRecord(text: string, what: string): void {
  // A character takes at most three bytes for each unit of its text.
  if (text.length * 3 <= LARGEST_RECORD) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_RECORD) return;
  throw new ChangeRefused(
    'untranslatable',
    `data: ${what} would have ${bytes} bytes, and a record has at most ${LARGEST_RECORD}`,
  );
}
