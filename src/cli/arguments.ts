import {
  isCurrency,
  isOwnFieldNameText,
  isPlatformName,
  isStorableText,
  ownFieldLimits,
  ownFieldNamePattern,
  platformNames,
  problemOfQuote,
  type PlatformName,
} from '@app/mapper';
import { InvalidArgumentError } from 'commander';
import { PERMISSIONS, permissionsAmong, type Permission } from '../auth/keys/permissions';
import { isTimeZone } from '../auth/customers/time-zone';
import { visibleText } from '../common/validation/visible-text';
import { LONGEST_AGE, parseDuration } from '../runtime/config/duration';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const DAY = 86_400_000;

/**
 * Parsers of option values. Each throws InvalidArgumentError, which commander reports as a mistake in the command line.
 */

export function uuidArgument(text: string): string {
  if (!uuid.test(text))
    throw new InvalidArgumentError('Expected an ID such as 1b671a64-40d5-491e-99b0-da01ff1f3341.');
  return text.toLowerCase();
}

export function platformArgument(text: string): PlatformName {
  if (!isPlatformName(text)) throw new InvalidArgumentError(`Expected one of ${platformNames.join(', ')}.`);
  return text;
}

export function nameArgument(text: string): string {
  const name = text.trim();
  if (!visibleText.test(name) || name.length > 200 || !isStorableText(name)) {
    throw new InvalidArgumentError('Expected a name of 1 to 200 characters.');
  }
  return name;
}

export function reasonArgument(text: string): string {
  const reason = text.trim();
  if (!visibleText.test(reason) || reason.length > 500 || !isStorableText(reason)) {
    throw new InvalidArgumentError('Expected a reason of 1 to 500 characters.');
  }
  return reason;
}

export function timeZoneArgument(text: string): string {
  if (!isTimeZone(text)) throw new InvalidArgumentError('Expected an IANA time zone such as Asia/Qatar.');
  return text;
}

/** The name of a customer's own field, without `custom.`. */
export function fieldNameArgument(text: string): string {
  if (isOwnFieldNameText(text)) return text;
  throw new InvalidArgumentError(
    `Expected a name of the form ${ownFieldNamePattern}, of at most ${ownFieldLimits.name} characters.`,
  );
}

export function labelArgument(text: string): string {
  const label = text.trim();
  if (!visibleText.test(label) || label.length > ownFieldLimits.label || !isStorableText(label)) {
    throw new InvalidArgumentError(`Expected 1 to ${ownFieldLimits.label} characters.`);
  }
  return label;
}

/** Splits a list at its commas. */
export function wordsArgument(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}

/** The path of a field on a platform, added to the paths that were given before. */
export function placeArgument(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [platform = '', ...rest] = text.split('=');
  const path = rest.join('=');
  if (!isPlatformName(platform) || path === '') {
    throw new InvalidArgumentError(`Expected ${platformNames.join(' or ')}, an equals sign and a path.`);
  }
  if (platform in before) throw new InvalidArgumentError(`${platform} has a place already.`);
  return { ...before, [platform]: path };
}

/** Permissions separated by commas. */
export function permissionsArgument(text: string): readonly Permission[] {
  const names = text.split(',').map((name) => name.trim());
  const permissions = permissionsAmong(names);
  if (names.some((name) => !permissions.some((known) => known === name))) {
    throw new InvalidArgumentError(`Expected some of ${PERMISSIONS.join(',')}, with commas.`);
  }
  return permissions;
}

/** The problem of a rate that concerns several options, as a message; undefined for a usable rate. */
export function problemOfRate(rate: { from: string; to: string; rate: string }): string | undefined {
  const found = problemOfQuote(rate);
  return found && `--${found.member} ${JSON.stringify(rate[found.member])}: ${found.problem}`;
}

export function currencyArgument(text: string): string {
  const code = text.toUpperCase();
  if (!isCurrency(code)) throw new InvalidArgumentError('Expected an ISO 4217 currency such as USD.');
  return code;
}

/** How long a replaced key stays valid, in milliseconds. */
export function overlapArgument(text: string): number {
  const overlap = parseDuration(text);
  if (overlap === undefined || overlap > 365 * DAY) {
    throw new InvalidArgumentError(
      'Expected 0 or a number with its unit, such as 30m, 12h or 7d; at most 365d.',
    );
  }
  return overlap;
}

/** A minimum age, in milliseconds. */
export function ageArgument(text: string): number {
  const age = parseDuration(text);
  if (age === undefined || age === 0 || age > LONGEST_AGE) {
    throw new InvalidArgumentError('Expected a number with its unit, such as 30m, 12h or 7d; at most 3650d.');
  }
  return age;
}
