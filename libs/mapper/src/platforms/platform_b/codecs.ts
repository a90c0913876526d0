import type { Address } from '../../canonical/field';
import type { ValueSchema } from '../../canonical/schema';
import { across, source, type ReferenceSource } from '../../mapping/binding';
import { attempt, naming, Unfit, unfit, type Codec } from '../../mapping/codec';
import { currencyCodec, moneyCodec } from '../../mapping/codecs/money';
import { decimalCodec } from '../../mapping/codecs/number';
import { textCodec } from '../../mapping/codecs/text';
import { dateCodec, timestampCodec } from '../../mapping/codecs/time';
import { enumerationCodec, type Literal } from '../../mapping/codecs/enumeration';

/** platform_b has no null: every type has a default that means nothing. */
export const NO_DATE = '0001-01-01';
export const NO_TIME = '0001-01-01T00:00:00Z';
export const NO_GUID = '00000000-0000-0000-0000-000000000000';
export const BLANK_VALUE = '_x0020_';

export const date = dateCodec(NO_DATE);
export const timestamp = timestampCodec(NO_TIME);
export const money = moneyCodec({ form: 'number' });
/** Credit limits and balances are in the company's local currency whatever the customer's is. */
export const localMoney = moneyCodec({ form: 'number', local: true });
export const decimal = decimalCodec('number');
export const currency = currencyCodec('');

/** Text of at most so many characters. */
export function text(longest: number): Codec<string> {
  return textCodec({ blank: '', longest });
}

/** A code of at most so many characters: the server trims it and puts it in upper case. */
export function code(longest: number): Codec<string> {
  return textCodec({ blank: '', longest, folded: true });
}

/**
 * Enumeration members in their wire form. They are compared decoded and trimmed, because the platform's documentation
 * spells them that way.
 */
export function enumeration<Value extends string>(
  literals: Readonly<Record<Value, Literal>>,
): Codec<Value | 'unknown'> {
  return enumerationCodec(literals, { fold: (literal) => decodeName(literal).trim(), blank: BLANK_VALUE });
}

/** Undoes the encoding of characters that no identifier may hold: `In_x0020_Review` is "In Review". */
export function decodeName(literal: string): string {
  return literal.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

const guidSchema: ValueSchema = { type: 'string', noun: 'a GUID', format: 'uuid' };

/** A GUID means the same in upper and in lower case. */
export function spelledGuid(text: string): string {
  return text.toLowerCase();
}

/** A record's key: a GUID, in lower case; the zero GUID names nothing. */
export const guid: Codec<string> = {
  schema: guidSchema,
  decode: (wire) => {
    if (wire === null || wire === '' || wire === NO_GUID) return null;
    if (typeof wire !== 'string') throw unfit(guidSchema, wire);
    return spelledGuid(wire);
  },
  encode: (value) => value ?? NO_GUID,
};

/** A reference by GUID. */
export function idIn(path: string): ReferenceSource {
  return source(path, 'id', guid);
}

/** A reference by the other record's business key. */
export function keyIn(path: string, codec: Codec<string>): ReferenceSource {
  return source(path, 'key', codec);
}

const parts = {
  line1: { path: 'addressLine1', codec: text(100) },
  line2: { path: 'addressLine2', codec: text(50) },
  city: { path: 'city', codec: text(30) },
  state: { path: 'state', codec: text(30) },
  postal_code: { path: 'postalCode', codec: text(20) },
  country: { path: 'country', codec: code(10) },
} as const satisfies Record<keyof Required<Address>, { path: string; codec: Codec<string> }>;
const partList = Object.entries(parts) as readonly [keyof Address, (typeof parts)[keyof typeof parts]][];

/** A postal address, in six fields. */
export const address = across<Address>(
  partList.map(([, { path, codec }]) => [path, codec.schema]),
  {
    decode: (natives, context) => {
      const present = partList.flatMap(([part, { path, codec }], index) => {
        const native = natives[index];
        return native === undefined
          ? []
          : [[part, naming(path, () => codec.decode(native, context))] as const];
      });
      if (present.length === 0) return undefined;
      return present.every(([, value]) => value === null) ? null : Object.fromEntries(present);
    },
    encode: (value, context) =>
      partList.map(([part, { codec }]) => {
        const member = partWritten(value, part);
        if (member === undefined) return undefined;
        const written = attempt(() => codec.encode(member, context));
        if ('problem' in written) throw new Unfit(`${part} ${written.problem}`);
        return written.value;
      }),
  },
);

// Both lines together are the street. A platform that has the street in one field says by a street of one line that
// there is no second line.
function partWritten(value: Address | null, part: keyof Address): string | null | undefined {
  if (value === null) return null;
  const member = value[part];
  return member === undefined && part === 'line2' && value.line1 !== undefined ? null : member;
}
