import { applyDecorators } from '@nestjs/common';
import { ExactNumber, isCurrency, isStorableText } from '@app/mapper';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { isLoopback, withoutFinalSlashes } from '../../runtime/config/web-address';

/** Rules of single members of credentials. No message repeats a value: one of them may be a secret in the wrong place. */

/** The other rules hold when the member is there. Null is a value like others, and fits none of the rules. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_dto, value: unknown) => value !== undefined);
}

/** Text of one line, such as a client's ID or secret. Blanks around it are a slip: no vendor's have any. */
export function IsLine(most: number): PropertyDecorator {
  return rule(
    'isLine',
    (value) => typeof value === 'string' && isLine(value, most),
    `must be text of 1 to ${most} characters in one line, without blanks around it`,
  );
}

/** An ID: a whole number, or text. Stored as text, since numbers beyond 2^53 lose digits elsewhere. */
export function IsNativeId(): PropertyDecorator {
  return applyDecorators(
    Transform(({ obj, key }) => idText(memberOf(obj, key))),
    rule('isNativeId', isNativeId, 'must be a whole number or text of 1 to 100 characters'),
  );
}

/** IDs, each once. */
export function IsNativeIds(most: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ obj, key }) => {
      const ids = memberOf(obj, key);
      return Array.isArray(ids) ? ids.map(idText) : ids;
    }),
    rule(
      'isNativeIds',
      (value) =>
        Array.isArray(value) &&
        value.length >= 1 &&
        value.length <= most &&
        value.every(isNativeId) &&
        new Set(value).size === value.length,
      `must be a list of 1 to ${most} different IDs, each a whole number or text`,
    ),
  );
}

/** An ISO 4217 code. */
export function IsCurrencyCode(): PropertyDecorator {
  return rule(
    'isCurrencyCode',
    (value) => typeof value === 'string' && isCurrency(value),
    'must be an ISO 4217 code in capitals such as USD',
  );
}

/**
 * Accepts the address of a platform: https, or http to this machine, without user, query and fragment. It is stored
 * without a final slash.
 *
 * @param ending the required end of the path
 */
export function IsPlatformAddress(ending = ''): PropertyDecorator {
  const which = ending === '' ? '' : ` that ends in ${ending}`;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? withoutFinalSlashes(value) : value,
    ),
    rule(
      'isPlatformAddress',
      (value) => typeof value === 'string' && value.endsWith(ending) && isAddress(value),
      `must be an https address${which}, without user, query or fragment (http only to a loopback address)`,
    ),
  );
}

function rule(name: string, validate: (value: unknown) => boolean, phrase: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => `$property ${phrase}` } });
}

function isLine(text: string, most: number): boolean {
  return (
    text.length >= 1 &&
    text.length <= most &&
    text === text.trim() &&
    !/[\p{Cc}\u2028\u2029]/u.test(text) &&
    isStorableText(text)
  );
}

function isNativeId(value: unknown): boolean {
  return typeof value === 'string' && isLine(value, 100);
}

/** A whole number as text; everything else as it is, for the rule to judge. */
function idText(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : value;
  if (value instanceof ExactNumber) return /^[1-9]\d*$/.test(value.token) ? value.token : value;
  return value;
}

function isAddress(text: string): boolean {
  if (text.length > 2_000 || !/^https?:\/\//i.test(text) || /[\s\\?#@]/.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/** The member as it was read: class-transformer has taken exact numbers apart by now. */
function memberOf(source: unknown, name: string): unknown {
  return typeof source === 'object' && source !== null ? Reflect.get(source, name) : undefined;
}
