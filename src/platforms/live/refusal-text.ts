import { storableText } from '@app/mapper';

/** Characters of a reason that is shown to people. */
export const LONGEST_REASON = 500;

/** Characters of a message that are looked at. White space among them takes no room in a reason. */
const MOST_READ = 4_000;

/**
 * A platform's message as one line that can be stored: each run of white space and control characters is one blank, and U+FFFD stands
 * for half of a surrogate pair. Reads the first 4,000 characters; a message is as long as the platform likes.
 */
export function oneLine(message: string): string {
  return storableText(message.slice(0, MOST_READ).replace(/[\p{Cc}\s]+/gu, ' ')).trim();
}
