import { storableText } from '@app/mapper';

/** Characters of a reason that is shown to people. */
export const LONGEST_REASON = 500;

/** The most characters of a message that are read. White space among them takes no room in a reason. */
const MOST_READ = 4_000;

/**
 * A platform's message as one line that can be stored: each run of white space and control characters becomes one
 * blank, and U+FFFD replaces half of a surrogate pair. Only the first 4,000 characters are read, because a message may
 * have any length.
 */
export function oneLine(message: string): string {
  return storableText(message.slice(0, MOST_READ).replace(/[\p{Cc}\s]+/gu, ' ')).trim();
}
