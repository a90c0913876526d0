import { addressMembers, type Address } from '../../canonical/field';
import type { ValueSchema } from '../../canonical/schema';
import type { JsonValue } from '../../json/json-value';
import { ExactNumber } from '../../json/exact-number';
import { across, source, type ReferenceSource } from '../../mapping/binding';
import { shown, unfit, Unfit, type Codec } from '../../mapping/codec';
import { currencyCodec, moneyCodec } from '../../mapping/codecs/money';
import { decimalCodec } from '../../mapping/codecs/number';
import { textCodec } from '../../mapping/codecs/text';
import { dateCodec, timestampCodec } from '../../mapping/codecs/time';

/** How platform_a spells values: null for nothing, decimal text for money, integers for IDs. */
export const text = textCodec({ blank: null });
export const date = dateCodec(null);
export const timestamp = timestampCodec(null);
export const money = moneyCodec({ form: 'text' });
/** Budget amounts and a project's value are JSON numbers in one resource and text in another. */
export const moneyNumber = moneyCodec({ form: 'number or text' });
export const decimal = decimalCodec('text');
export const decimalNumber = decimalCodec('number or text');
export const percent = decimalCodec('text', { percentSign: true });
export const currency = currencyCodec(null);

const nativeIdSchema: ValueSchema = {
  type: ['integer', 'string'],
  noun: 'an integer ID within 2^53-1',
  format: 'int64',
};

/**
 * A native ID: an integer in version 1 of the API, the same digits as text in version 2. An integer a double cannot
 * hold is refused, because it is another record's ID by the time the service compares it.
 */
export const nativeId: Codec<string> = {
  schema: nativeIdSchema,
  decode: (wire) => {
    if (wire === null) return null;
    if (typeof wire === 'string' && wire !== '') return wire;
    if (typeof wire === 'number' && Number.isSafeInteger(wire)) return String(wire);
    if (typeof wire === 'number' || wire instanceof ExactNumber) {
      throw new Unfit(`${shown(wire)} is not an integer within 2^53-1, so its digits may be wrong`);
    }
    throw unfit(nativeIdSchema, wire);
  },
  encode: (value) => {
    if (value === null) return null;
    const id = /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : NaN;
    return Number.isSafeInteger(id) ? id : value;
  },
};

/** A reference by native ID. */
export function idIn(path: string): ReferenceSource {
  return source(path, 'id', nativeId);
}

/** A reference that a text field names by business key; the text has a binding of its own, which writes it. */
export function namedIn(path: string): ReferenceSource {
  return { ...source(path, 'key', text), composed: true };
}

const addressPaths = ['address', 'city', 'state_code', 'zip', 'country_code'];

/** A postal address; the street is one field here, and its second line follows a line break. */
export const address = across<Address>(
  addressPaths.map((path) => [path, text.schema]),
  {
    decode: ([street, city, state, zip, country]) => {
      if ([street, city, state, zip, country].every((part) => part === undefined)) return undefined;
      const [line1, line2] = splitStreet(textOf('address', street));
      const parts = {
        line1,
        line2,
        city: textOf('city', city),
        state: textOf('state_code', state),
        postal_code: textOf('zip', zip),
        country: textOf('country_code', country),
      };
      const address = withoutUndefined(parts);
      return Object.values(address).every((part) => part === null) ? null : address;
    },
    encode: (value) => {
      const parts = value ?? emptyAddress;
      const others = [parts.city, parts.state, parts.postal_code, parts.country];
      // Empty text reads as nothing, so it is written as nothing.
      return [joinStreet(parts), ...others.map((part) => (part === '' ? null : part))];
    },
  },
);

const emptyAddress: Address = Object.fromEntries(addressMembers.map((member) => [member, null]));

function splitStreet(
  street: string | null | undefined,
): readonly [string | null | undefined, string | null | undefined] {
  if (street === undefined || street === null) return [street, undefined];
  const end = /\r?\n/.exec(street);
  if (end === null) return [street, undefined];
  return [street.slice(0, end.index) || null, street.slice(end.index + end[0].length) || null];
}

function joinStreet({ line1, line2 }: Address): string | null | undefined {
  if (line1 === undefined && line2 === undefined) return undefined;
  if (line1 && /[\r\n]/.test(line1)) {
    throw new Unfit('line1 holds a line break, which platform_a keeps between the two lines of a street');
  }
  // The break stays when the first line is empty; without it, the second line would read as the first.
  return line2 ? `${line1 ?? ''}\n${line2}` : line1 || null;
}

function textOf(path: string, wire: JsonValue | undefined): string | null | undefined {
  if (wire === undefined) return undefined;
  if (wire !== null && typeof wire !== 'string')
    throw new Unfit(`expected a string, received ${shown(wire)}`, { path });
  return wire === '' ? null : wire;
}

function withoutUndefined(parts: { readonly [Part in keyof Address]: Address[Part] | undefined }): Address {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}
