import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';
import { parseDecimalText, parseNumberToken, shortestDecimal, type Decimal } from './decimal-text';

/** The decimal of a JSON number, to its last digit; undefined for anything else, and for what {@link parseNumberToken} refuses. */
export function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  if (value instanceof ExactNumber) return parseNumberToken(value.token);
  return typeof value === 'number' ? parseNumberToken(String(value)) : undefined;
}

/** The decimal of a JSON number or of plain decimal text, also between blanks; undefined for anything else. */
export function decimalIn(value: JsonValue | undefined): Decimal | undefined {
  return typeof value === 'string' ? parseDecimalText(value.trim()) : decimalOf(value);
}

/** A decimal as the JSON number with exactly its value, without zeros at its end. */
export function numberOf(decimal: Decimal): number | ExactNumber {
  const text = shortestDecimal(decimal);
  const number = Number(text);
  // A double prints the shortest text that converts back to it. Any other text has digits that a double would lose, or is
  // one that a double prints with an exponent.
  return String(number) === text ? number : new ExactNumber(text);
}
