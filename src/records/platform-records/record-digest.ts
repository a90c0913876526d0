import { hash } from 'node:crypto';

/**
 * The version of what this release makes of a record it reads: its columns, and how records are matched by them. Raised
 * when either changes; then every record counts as changed at its next connect, and its columns are made anew. A test
 * notices columns that differ.
 */
export const READING_VERSION = 2;

// No currency and no variant holds a control character, and the text comes last, so two inputs never read the same.
const SEPARATOR = '\u001f';
/** Of the 43 characters of a SHA-256; 132 bits. */
const DIGEST_LENGTH = 22;

/**
 * A digest of all that the columns of a record follow from.
 *
 * @param currency of the connection
 * @param text the payload as JSON text
 */
export function digestOf(currency: string, variant: string | null, text: string): string {
  const read = `${READING_VERSION}${SEPARATOR}${currency}${SEPARATOR}${variant ?? ''}${SEPARATOR}${text}`;
  return hash('sha256', read, 'base64').slice(0, DIGEST_LENGTH);
}
