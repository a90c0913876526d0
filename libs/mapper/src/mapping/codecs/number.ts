import { ExactNumber } from '../../json/exact-number';
import type { JsonValue } from '../../json/json-value';
import {
  parseDecimalText,
  parseNumberToken,
  shortestDecimal,
  shortestText,
  significantDigits,
  significantDigitsOf,
  shortestOfExponent,
  type Decimal,
} from '../../money/decimal-text';
import { SAFE_DIGITS } from '../../money/money';
import { Unfit, shown, unfit, type Codec } from '../codec';
import { decimalTextSchema, integerSchema, truthSchema } from '../../canonical/schemas';
import type { ValueSchema } from '../../canonical/schema';

/** Where a platform writes decimals as text, as JSON numbers, or now one and now the other (the first is written). */
export type NumberForm = 'text' | 'number' | 'number or text';

/**
 * Reads a JSON number without trusting a double with more digits than it carries.
 *
 * @throws Unfit when the number has more than 15 significant digits, or is absurdly large or small
 */
function numberValue(wire: number | ExactNumber): Decimal {
  const token = wire instanceof ExactNumber ? wire.token : String(wire);
  const decimal = parseNumberToken(token);
  if (decimal === undefined) throw new Unfit(`${shown(wire)} is too large or too small a number`);
  if (significantDigits(decimal) > SAFE_DIGITS) {
    throw new Unfit(
      `${shown(wire)} has more than ${SAFE_DIGITS} significant digits, which a JSON number does not carry safely`,
    );
  }
  return decimal;
}

/** Reads a decimal in the form a platform uses; undefined if the value is of another form. Throws {@link Unfit}. */
export function decimalValue(wire: JsonValue, form: NumberForm): Decimal | undefined {
  if (typeof wire === 'string') return form === 'number' ? undefined : parseDecimalText(wire);
  if (typeof wire === 'number' || wire instanceof ExactNumber) {
    return form === 'text' ? undefined : numberValue(wire);
  }
  return undefined;
}

/**
 * The plain decimal text of a value in the form a platform uses, where that is simply its text: for a number, where it
 * has at most 15 digits and no exponent. Undefined for all others, which {@link decimalValue} can tell apart.
 */
export function plainText(wire: JsonValue, form: NumberForm): string | undefined {
  if (typeof wire === 'string') return form === 'number' ? undefined : wire;
  if (typeof wire !== 'number' || form === 'text') return undefined;
  const token = String(wire);
  return token.length <= SAFE_DIGITS ? token : undefined;
}

const numbers = {
  description: 'In units of the record’s currency or measure, at most 15 significant digits.',
  examples: [1250.5],
};

/** What a decimal looks like in each of the forms. */
export const numberSchemas = {
  text: decimalTextSchema('1250.00', 'Decimal text in units of the record’s currency or measure.'),
  number: { type: 'number', ...numbers },
  'number or text': { type: ['number', 'string'], ...numbers },
} as const satisfies Readonly<Record<NumberForm, ValueSchema>>;

/**
 * A plain decimal that is no money: a quantity, hours, a unit price, a percentage. Its canonical form is the shortest
 * decimal text.
 */
export function decimalCodec(form: NumberForm, options?: { readonly percentSign?: true }): Codec<string> {
  const schema = numberSchemas[form];
  return {
    schema,
    decode: (wire) => {
      if (wire === null) return null;
      const plain = options?.percentSign && typeof wire === 'string' ? withoutPercentSign(wire) : wire;
      const shortest = shortOf(plain, form);
      if (shortest !== undefined) return shortest;
      const decimal = decimalValue(plain, form);
      if (decimal === undefined) throw unfit(schema, wire);
      return shortestDecimal(decimal);
    },
    encode: (value) => {
      if (value === null) return form === 'number' ? 0 : null;
      if (form === 'text') return value;
      const shortest = shortestText(value);
      if (shortest === undefined) throw unfit(schema, value);
      if (significantDigitsOf(shortest) > SAFE_DIGITS) {
        throw new Unfit(
          `${shown(value)} has more than ${SAFE_DIGITS} significant digits, which a JSON number does not carry safely`,
        );
      }
      return numberOfShortest(shortest);
    },
  };
}

// A double has no number of so many places, or JSON writes it with an exponent beyond those that are read.
function numberOfShortest(shortest: string): number {
  const number = Number(shortest);
  if (shortest.length <= SAFE_DIGITS) return number;
  const read = parseNumberToken(String(number));
  if (read === undefined || shortestDecimal(read) !== shortest) {
    throw new Unfit(`${shown(shortest)} is too large or too small a number`);
  }
  return number;
}

// The shortest text of most decimals; undefined where only the general code can tell.
function shortOf(wire: JsonValue, form: NumberForm): string | undefined {
  const text = plainText(wire, form);
  if (text === undefined) return undefined;
  const shortest = shortestText(text);
  if (shortest !== undefined || typeof wire === 'string') return shortest;
  const long = shortestOfExponent(text);
  return long !== undefined && significantDigitsOf(long) <= SAFE_DIGITS ? long : undefined;
}

function withoutPercentSign(text: string): string {
  return text.endsWith('%') ? text.slice(0, -1) : text;
}

/** A whole number; text of digits is read as well, because one resource writes the same field both ways. */
export const integerCodec: Codec<number> = {
  schema: { type: ['integer', 'string'] },
  decode: (wire) => {
    if (wire === null) return null;
    const value = typeof wire === 'string' && /^-?\d{1,16}$/.test(wire) ? Number(wire) : wire;
    if (!Number.isSafeInteger(value)) throw unfit(integerSchema, wire);
    return value as number;
  },
  encode: (value) => value,
};

/** True or false. */
export const booleanCodec: Codec<boolean> = {
  schema: truthSchema,
  decode: (wire) => {
    if (wire !== null && typeof wire !== 'boolean') throw unfit(truthSchema, wire);
    return wire;
  },
  encode: (value) => value,
};
