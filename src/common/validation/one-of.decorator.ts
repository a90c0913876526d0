import { IsIn } from 'class-validator';

/** The member must be one of a list of words, which the message names. */
export function IsOneOf(words: readonly string[]): PropertyDecorator {
  return IsIn(words, { message: `$property must be one of ${words.join(', ')}` });
}
