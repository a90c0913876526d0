import { cutText } from '@app/mapper';

/** Characters of a reason that is shown to people. */
const LONGEST = 500;

/** Characters of a message that are looked at. White space among them takes no room in a reason. */
const MOST_READ = 4_000;

/**
 * A platform's message as one line: each run of white space and control characters is one blank. Reads the first 4,000
 * characters; a message is as long as the platform likes.
 */
export function oneLine(message: string): string {
  return message
    .slice(0, MOST_READ)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** A reason of at most 500 characters; a longer one ends in `…`. */
export function shortened(words: string): string {
  return words.length > LONGEST ? `${cutText(words, LONGEST - 1)}…` : words;
}
