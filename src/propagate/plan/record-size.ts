import { ChangeRefused } from './refusal';

/** Maximum bytes of a record's JSON text in UTF-8 after a change. */
const LARGEST_RECORD = 256 * 1024;

/**
 * Refuses a record that would be too large.
 *
 * @throws ChangeRefused `untranslatable`
 */
export function refuseLargeRecord(text: string, what: string): void {
  // Each UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= LARGEST_RECORD) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_RECORD) return;
  throw new ChangeRefused(
    'untranslatable',
    `data: ${what} would have ${bytes} bytes, and a record has at most ${LARGEST_RECORD}`,
  );
}
