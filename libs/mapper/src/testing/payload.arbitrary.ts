import { fieldsOf } from '../canonical/types';
import { withValueAt } from '../json/json-path';
import { isJsonObject, setMember, type JsonObject, type JsonValue } from '../json/json-value';
import { typesOf, type ValueSchema } from '../canonical/schema';
import type { DescribedPlace, FieldDescription } from '../mapping/describing/description';
import { platformOf, type PlatformName } from '../platforms';
import { isoDate, utcInstant } from './canonical.arbitrary';
import { counterpartsOf, type NamedMapping } from './all-mappings';
import { anyJson, anyText, unknownMembers } from './json.arbitrary';
import { fc } from './property';

const NO_GUID = '00000000-0000-0000-0000-000000000000';

/** Which payloads to make. */
export interface PayloadOptions {
  /** Only values that both platforms can hold, in all spellings that a platform may use. If false, also unreadable values. */
  readonly portable: boolean;
  /** Currency codes the record may name; each amount has two decimals at most. */
  readonly currencies?: readonly string[];
  /** Whether amounts are whole, for currencies without decimals. */
  readonly wholeAmounts?: boolean;
  /** Whether amounts leave room for a conversion: a platform may read what comes of it in a currency with decimals. */
  readonly convertible?: boolean;
}

/**
 * A record of a mapping's platform: any of its own paths with values as the platform writes them, blank forms and odd
 * spellings, among unknown fields.
 */
export function payloadOf(named: NamedMapping, options: PayloadOptions): fc.Arbitrary<JsonObject> {
  const places = placesOf(named, options);
  const values = fc.tuple(...places.map(({ value }) => fc.option(value, { nil: undefined, freq: 3 })));
  const containers = [...new Set(places.flatMap(({ path }) => path.slice(0, -1).slice(0, 1)))];
  // Unknown members beside the known ones, or nothing but null, as in `"vendor": null`.
  const around = fc.option(unknownMembers, { freq: 10 });
  return fc
    .tuple(values, unknownMembers, fc.tuple(...containers.map(() => around)))
    .map(([natives, unknown, nested]) => {
      const payload = natives.reduce<JsonObject>((record, native, index) => {
        const path = places[index]?.path;
        return native === undefined || path === undefined ? record : withValueAt(record, path, native);
      }, {});
      const mixed: Record<string, JsonValue> = { ...unknown };
      for (const [member, value] of Object.entries(payload)) {
        const extra = nested[containers.indexOf(member)];
        if (extra === null) setMember(mixed, member, null);
        else
          setMember(
            mixed,
            member,
            isJsonObject(value) && extra !== undefined ? { ...extra, ...value } : value,
          );
      }
      return mixed;
    });
}

interface Place {
  readonly path: readonly string[];
  readonly value: fc.Arbitrary<JsonValue>;
}

function placesOf(named: NamedMapping, options: PayloadOptions): readonly Place[] {
  const { mapping } = named;
  const { path, schema } = mapping.options.id;
  const id: Place = { path: path.split('.'), value: orGarbage(nativeId(schema), options) };
  const fields = mapping.describe().flatMap((description) =>
    description.places.map((place) => ({
      path: place.path.split('.'),
      value: placed(named, description, place, options),
    })),
  );
  return [id, ...fields];
}

function placed(
  named: NamedMapping,
  description: FieldDescription,
  place: DescribedPlace,
  options: PayloadOptions,
): fc.Arbitrary<JsonValue> {
  const { entityType, platform, mapping } = named;
  const field = fieldsOf(entityType, mapping.own)[description.field];
  if (place.path === mapping.options.currency) return orGarbage(currencyCode(options), options);
  if (description.members !== undefined)
    return orGarbage(lines(description.members, platform, options), options);
  const values = options.portable
    ? field?.values?.filter((word) => !isRefused(named, description.field, word))
    : field?.values;
  const literals = values && literalsOf(named, description.field, values);
  const isMoney = field?.type === 'money';
  return orGarbage(wireValue(description, place, platform, { ...options, isMoney }, literals), options);
}

/** Whether another platform refuses a record because of one word. */
function isRefused(named: NamedMapping, field: string, word: string): boolean {
  const context = { currency: 'USD', localCurrency: 'USD' };
  return counterpartsOf(named).some(
    ({ mapping }) => mapping.encode({ [field]: word }, context).issues.length > 0,
  );
}

/** The literals that a platform has for the words of a field. */
function literalsOf(
  { mapping }: NamedMapping,
  field: string,
  wordsOfField: readonly string[],
): readonly JsonValue[] {
  const context = { currency: 'USD', localCurrency: 'USD' };
  const written = wordsOfField.flatMap(
    (word) => mapping.changesOf([field], { [field]: word }, context).changes,
  );
  return [...new Set(written.map(({ value }) => value))];
}

function wireValue(
  { field }: FieldDescription,
  { path, schema, by }: DescribedPlace,
  platform: PlatformName,
  options: PayloadOptions & { readonly isMoney: boolean },
  literals?: readonly JsonValue[],
): fc.Arbitrary<JsonValue> {
  const defaults = hasDefaults(platform);
  const blanks = (...forms: readonly JsonValue[]) =>
    fc.constantFrom<JsonValue>(...(defaults ? forms : ['']), null);
  const noNumber = fc.constantFrom<JsonValue>(...(defaults ? [0] : []), null);
  if (literals !== undefined) return words(literals, defaults);
  const { format, noun, maxLength } = schema;
  const [type, ...others] = typesOf(schema);
  if (type === 'integer' && noun === undefined)
    return mixed(fc.oneof(wholeNumber, wholeNumber.map(String)), noNumber);
  if (type === 'boolean') return mixed(fc.boolean(), fc.constant(null));
  if (format === 'date') return mixed(fc.oneof(isoDate, oddDate), blanks('0001-01-01', ''));
  if (format === 'date-time') return mixed(instant, blanks('0001-01-01T00:00:00Z', ''));
  if (noun?.startsWith('a decimal number as text')) {
    return mixed(decimalTextOf(options, path.includes('percent')), fc.constant(null));
  }
  if (type === 'number') {
    const numbers = decimalNumberOf(options);
    return mixed(
      others.includes('string') ? fc.oneof(numbers, decimalTextOf(options, false)) : numbers,
      noNumber,
    );
  }
  if (by === 'id') return nativeId(schema);
  if (by === 'key') return defaults ? shortCode : shortText;
  if (field === 'number' && noun?.includes('slash')) return combinedNumber;
  const longest = maxLength ?? 60;
  // A first line with a break is one that the other platform refuses.
  const short =
    path === 'addressLine1' ? shortText : fc.oneof({ weight: 6, arbitrary: shortText }, brokenText);
  return mixed(options.portable ? short : fc.oneof(short, textUpTo(longest * 2)), blanks('', ''));
}

const mixed = (value: fc.Arbitrary<JsonValue>, blank: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: blank });

const orGarbage = (value: fc.Arbitrary<JsonValue>, { portable }: PayloadOptions): fc.Arbitrary<JsonValue> =>
  portable ? value : fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: anyJson });

/** Whether a platform writes a default of the type (`""`, 0) for nothing, rather than null. */
const hasDefaults = (platform: PlatformName): boolean => platformOf(platform).blank === 'default';

/** A native ID in the form that the schema asks for. */
function nativeId({ format }: ValueSchema): fc.Arbitrary<JsonValue> {
  return format === 'uuid' ? guid : integerId;
}

/** An integer, or the same as text. */
const integerId: fc.Arbitrary<JsonValue> = fc
  .oneof(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 2 ** 40, max: Number.MAX_SAFE_INTEGER }))
  .chain((id) => fc.constantFrom<JsonValue>(id, id, String(id), null));

/** A GUID in either case, or a form of none. */
const guid: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 5, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.uuid().map((id) => id.toUpperCase()) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(NO_GUID, '', null) },
);

// Short in upper case too, where some letters become two or three; and without what divides a combined number.
const shortText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .string({ unit: 'grapheme', maxLength: 6 })
      .filter((text) => text.toUpperCase().length <= 10 && !text.includes('/')),
  },
  {
    weight: 1,
    // Spaces that are trimmed and spaces that are not, invisible marks, both forms of an accent, letters without a
    // unique case.
    arbitrary: fc.constantFrom(
      ...[' ', ' a ', '\u00a0a\u00a0', '\u3000a', '\u200ba', '\ufeffa', 'a\u200f', '\ta'],
      ...['\u00e9', 'e\u0301', 'ﬁ', 'ŉ', 'İ', 'ı', 'ς', 'ẞ', 'ǅ', '_x0020_', '-0', '0001-01-01', 'null'],
    ),
  },
);
const brokenText = fc.constantFrom('\n', 'a\nb', 'a\r\nb', '\na', 'a\n', 'a\rb', 'a\n\nb', 'a\u2028b');
const shortCode: fc.Arbitrary<JsonValue> = fc.oneof(
  shortText,
  fc.constantFrom('LEX-001', 'lex-001', '  LEX-001 ', '', null),
);
const textUpTo = (longest: number) => fc.string({ unit: 'grapheme', maxLength: longest });
const wholeNumber = fc.integer({ min: -9999, max: 99_999 });
const instant = fc.oneof(
  utcInstant,
  fc.constantFrom('2020-10-19T12:17:31-07:00', '2020-10-19T12:17:31.5+0330', '2026-01-12T13:00Z'),
  fc.constantFrom(
    ...['2028-02-29T00:30:00.9999999+14:00', '2025-12-31T23:30:00-01:00', '2026-01-01T00:00:00-00:00'],
    ...['0001-01-01T00:00:00.0000000Z', '9999-12-31T23:59:59.9999999Z'],
  ),
);
/** Leap days, and the ends of the calendar. */
const oddDate = fc.constantFrom(
  '2028-02-29',
  '2000-02-29',
  '9999-12-31',
  '0001-01-01',
  '0001-01-02',
  '0000-12-31',
);
const combinedNumber: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.tuple(shortText, shortText).map(([contract, number]) => `${contract}/${number}`),
  shortText,
  fc.constantFrom('SC-001/CO-001', 'a/b/c', 'sc-1/co-1', '/', 'SC-001/', '', null),
);

type NumberOptions = Pick<PayloadOptions, 'wholeAmounts' | 'convertible'> & { readonly isMoney: boolean };

/** Decimal text: of an amount with two decimals at most or with none, of any other decimal with more of them too. */
function decimalTextOf(
  { isMoney, wholeAmounts, convertible }: NumberOptions,
  percent: boolean,
): fc.Arbitrary<JsonValue> {
  if (isMoney && wholeAmounts) {
    const zeros = fc.constantFrom('', '.0', '.00', '.000');
    return fc
      .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), zeros)
      .map(([units, end]) => units + end);
  }
  const large = convertible ? '9007199254.09' : '900719925474.09';
  const odd = isMoney ? [large, `-${large}`] : ['134.56789', '1000000000000000', '0.00001'];
  return fc.oneof(
    { weight: 5, arbitrary: decimalText(percent) },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>('-0', '-0.0', '0', '000.00', '-00.10', ...odd) },
  );
}

/** The same as a JSON number. */
function decimalNumberOf({ isMoney, wholeAmounts, convertible }: NumberOptions): fc.Arbitrary<JsonValue> {
  if (isMoney && wholeAmounts) return fc.integer({ min: -99_999_999, max: 99_999_999 });
  const large = convertible ? 9_007_199_254.09 : 900_719_925_474.09;
  const odd = isMoney ? [large] : [134.56789, 1e15, 1e21, 1e-7, -999_999_999_999.999];
  return fc.oneof(
    { weight: 5, arbitrary: decimalNumber },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>(0, ...odd) },
  );
}

/** Decimal text with up to two significant decimals and any number of zeros on either side. */
const decimalText = (percent: boolean): fc.Arbitrary<JsonValue> =>
  fc
    .tuple(
      fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }),
      fc.constantFrom('', '0', '00', '000'),
      fc.constantFrom('', '0', '00', '0000'),
      percent ? fc.constantFrom('', '%') : fc.constant(''),
    )
    .map(([cents, zerosBefore, zerosAfter, sign]) => {
      const digits = Math.abs(cents).toString().padStart(3, '0');
      const number = `${zerosBefore}${digits.slice(0, -2)}.${digits.slice(-2)}${zerosAfter}`;
      return `${cents < 0 ? '-' : ''}${zerosAfter === '' ? number.replace(/\.?0+$/, '') : number}${sign}`;
    });
const decimalNumber: fc.Arbitrary<JsonValue> = fc
  .integer({ min: -9_999_999_999, max: 9_999_999_999 })
  .map((cents) => Number((cents / 100).toFixed(2)) + 0);

function words(literals: readonly JsonValue[], defaults: boolean): fc.Arbitrary<JsonValue> {
  const listed = fc.constantFrom(...literals);
  if (literals.every((literal) => typeof literal === 'boolean')) return fc.oneof(listed, fc.constant(null));
  const odd = listed.map((literal) =>
    (typeof literal === 'string' ? literal : '')
      .replace(/_x0020_/g, ' ')
      .replace(/^(.)/, (first) => first.toUpperCase()),
  );
  const blank = fc.constantFrom<JsonValue>(null, ...(defaults ? ['_x0020_', ' ', ''] : ['']));
  const otherCase = listed.map((literal) => (typeof literal === 'string' ? `${literal.toUpperCase()} ` : ''));
  return fc.oneof(
    { weight: 6, arbitrary: listed },
    { weight: 2, arbitrary: odd },
    { weight: 1, arbitrary: otherCase },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>('queued', 'Neu', 'On_x0020_Hold', 'constructor') },
    { weight: 1, arbitrary: blank },
  );
}

function currencyCode({ portable, currencies = ['USD'] }: PayloadOptions): fc.Arbitrary<JsonValue> {
  const known = fc.constantFrom<JsonValue>(
    ...currencies,
    ...currencies.map((code) => ` ${code.toLowerCase()}`),
  );
  const blank = fc.constantFrom<JsonValue>(null, '');
  const other = fc.constantFrom<JsonValue>('EURO', 'XXX', 'JPY', 'KWD', 'QAR');
  return portable
    ? fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: blank })
    : fc.oneof(
        { weight: 3, arbitrary: known },
        { weight: 1, arbitrary: blank },
        { weight: 1, arbitrary: other },
      );
}

function lines(
  members: readonly FieldDescription[],
  platform: PlatformName,
  options: PayloadOptions,
): fc.Arbitrary<JsonValue> {
  const places = members.flatMap((member) =>
    member.places.map((place): Place => {
      const value =
        member.field === 'id'
          ? nativeId(place.schema)
          : member.field === 'position' && hasDefaults(platform)
            ? fc.oneof(
                fc.integer({ min: 0, max: 20 }).map((position): JsonValue => position * 5000),
                fc.integer({ min: 1, max: 99_999 }),
              )
            : wireValue(member, place, platform, { ...options, isMoney: member.field === 'amount' });
      return { path: place.path.split('.'), value: orGarbage(value, options) };
    }),
  );
  const line = fc
    .tuple(
      fc.tuple(...places.map(({ value }) => fc.option(value, { nil: undefined, freq: 3 }))),
      unknownMembers,
    )
    .map(([natives, unknown]) =>
      natives.reduce<JsonObject>((record, native, index) => {
        const path = places[index]?.path;
        return native === undefined || path === undefined ? record : withValueAt(record, path, native);
      }, unknown),
    );
  const few = fc.array(
    options.portable ? line : fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: anyText }),
    { maxLength: 3 },
  );
  // Of a long list only the digest is compared.
  const many = line.map((one): JsonValue => Array.from({ length: 51 }, () => one));
  return fc.oneof({ weight: 40, arbitrary: few }, { weight: 1, arbitrary: many });
}
