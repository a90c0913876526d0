import { isStorableText } from '@app/mapper';
import { isPathId } from '../request/path-id';
import { timeFrom } from './time-parameter';

const MOST_BIGINT = 2n ** 63n;

/** 10000-01-01 in milliseconds since 1970. PostgreSQL and JavaScript both read the form of every earlier time. */
const END_OF_TIMES = Date.UTC(10_000, 0);

/** Text that the database accepts. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorableText(value);
}

/** A time in the form of the database's responses: UTC with six decimals of a second, of the years 1000 to 2999. */
export function isTimeText(value: unknown): value is string {
  return typeof value === 'string' && timeFrom(value) === value;
}

/** Milliseconds since 1970, up to the year 9999. */
export function isMilliseconds(value: unknown): value is number {
  return isCount(value) && value < END_OF_TIMES;
}

/** A whole number in PostgreSQL's `bigint` range, as PostgreSQL writes it. */
export function isBigintText(value: unknown): value is string {
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,18})$/.test(value)) return false;
  const number = BigInt(value);
  return number >= -MOST_BIGINT && number < MOST_BIGINT;
}

/** A whole number, not below 0. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A UUID as PostgreSQL writes it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && isPathId(value) && value === value.toLowerCase();
}

/** One of some words. */
export function isOneOf<Word extends string>(words: readonly Word[]): (value: unknown) => value is Word {
  return (value): value is Word => words.some((word) => word === value);
}
