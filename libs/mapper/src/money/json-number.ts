import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';
import { parseDecimalText, parseNumberToken, shortestDecimal, type Decimal } from './decimal-text';

/**
 * The exact decimal of a JSON number; undefined for any other value, and for numbers that {@link parseNumberToken}
 * refuses.
 */
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
  // JavaScript prints a double as the shortest text that converts back to it. If the text differs from that, the double
  // would lose digits, or would be printed with an exponent.
  return String(number) === text ? number : new ExactNumber(text);
}
