import { decimalOf, sameJson, shortestDecimal, type JsonValue, type ValueKind } from '@app/mapper';

export const NO_GUID = '00000000-0000-0000-0000-000000000000';

const blanks: Readonly<Partial<Record<ValueKind, JsonValue>>> = {
  guid: NO_GUID,
  text: '',
  code: '',
  date: '0001-01-01',
  time: '0001-01-01T00:00:00Z',
  decimal: 0,
  integer: 0,
  boolean: false,
  word: '_x0020_',
};

/** The blank value of a kind: the platform has no null. */
export function blankOf(kind: ValueKind): JsonValue {
  return blanks[kind] ?? null;
}

/**
 * Whether two values of a field are equal to the platform: 100.0 equals 100, and codes are compared trimmed and without case. Null
 * and an absent field equal the blank value.
 *
 * @param kind undefined for an unknown field, such as a column of an extension: numbers are compared by value, all else as JSON
 */
export function sameValue(
  kind: ValueKind | undefined,
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): boolean {
  const areNumbers = decimalOf(one) !== undefined && decimalOf(other) !== undefined;
  const known = kind ?? (areNumbers ? 'decimal' : undefined);
  if (known === undefined) return sameJson(one ?? null, other ?? null);
  return sameJson(comparable(known, one), comparable(known, other));
}

function comparable(kind: ValueKind, given: JsonValue | undefined): JsonValue {
  const value = given ?? blankOf(kind);
  switch (kind) {
    case 'decimal':
    case 'integer': {
      const decimal = decimalOf(value);
      return decimal === undefined ? value : shortestDecimal(decimal);
    }
    case 'code':
      return typeof value === 'string' ? value.trim().toUpperCase() : value;
    case 'guid':
      return value === '' ? NO_GUID : typeof value === 'string' ? value.toLowerCase() : value;
    case 'word':
      return typeof value === 'string' ? decodedWord(value).trim() : value;
    default:
      return value;
  }
}

/** Decodes characters that identifiers cannot contain: `In_x0020_Review` is "In Review". */
function decodedWord(word: string): string {
  return word.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
