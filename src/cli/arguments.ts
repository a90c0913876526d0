import { isCurrency, isStorableText, problemOfQuote } from '@app/mapper';
import { InvalidArgumentError } from 'commander';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parsers of option values. Each throws what commander reports as a mistake in the command line. */

export function uuidArgument(text: string): string {
  if (!uuid.test(text))
    throw new InvalidArgumentError('Expected an ID such as 1b671a64-40d5-491e-99b0-da01ff1f3341.');
  return text.toLowerCase();
}

export function nameArgument(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 200 || !isStorableText(name)) {
    throw new InvalidArgumentError('Expected a name of 1 to 200 characters.');
  }
  return name;
}

/** What is wrong with a rate as a whole, as a message; undefined when it can be used. */
export function problemOfRate(rate: { from: string; to: string; rate: string }): string | undefined {
  const found = problemOfQuote(rate);
  return found && `--${found.member} ${JSON.stringify(rate[found.member])}: ${found.problem}`;
}

export function currencyArgument(text: string): string {
  const code = text.toUpperCase();
  if (!isCurrency(code)) throw new InvalidArgumentError('Expected an ISO 4217 currency such as USD.');
  return code;
}
