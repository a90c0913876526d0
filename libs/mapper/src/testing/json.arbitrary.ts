import { ExactNumber } from '../json/exact-number';
import type { JsonObject, JsonValue } from '../json/json-value';
import { fc } from './property';

/** Member names that trip over prototypes, paths and marks. None is a name of either platform. */
const hostileNames = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'toJSON',
  'vendor.id',
  'a.b.c',
  '',
  '\u0001exact:',
  'Straße',
] as const;

/** A member name that no platform uses. */
export const unknownName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileNames),
  fc.string({ maxLength: 6 }).map((name) => `x_${name}`),
);

/** Numbers that no double holds, as the tokens they were read from. */
export const exactNumber: fc.Arbitrary<ExactNumber> = fc
  .oneof(
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }).map((whole) => (whole * 2n + 1n).toString()),
    fc.constantFrom(
      '9007199254740993',
      '0.10000000000000000001',
      '-123456789012345678.9',
      '1e400',
      '-2E-400',
    ),
  )
  .map((token) => new ExactNumber(token));

/** Text without the halves of surrogate pairs, which the service refuses before it translates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', ' ', 'null', '0', '1e3', '\u0001exact:', '"', '\\', '\u2028', 'a"b\\c\nd'),
);

/** A JSON number as JSON text gives it: finite, and no negative zero. */
const anyNumber: fc.Arbitrary<number> = fc
  .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => value + 0);

/** Any JSON value, a few levels deep. */
export const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(anyText, anyNumber, exactNumber, fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(unknownName, tie('value')), { maxLength: 3 })
      .map((entries): JsonObject => Object.fromEntries(entries)),
  }),
).value;

/** Any JSON object of members that no platform uses. */
export const unknownMembers: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(unknownName, anyJson), { maxLength: 4 })
  .map((entries): JsonObject => Object.fromEntries(entries));
