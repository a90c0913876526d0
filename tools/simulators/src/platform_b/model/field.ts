import type { JsonValue } from '@app/mapper';

export const NO_GUID = '00000000-0000-0000-0000-000000000000';
export const NO_DATE = '0001-01-01';
export const NO_TIME = '0001-01-01T00:00:00Z';
export const BLANK_MEMBER = '_x0020_';

export type FieldKind =
  | 'guid'
  | 'text'
  | 'code'
  | 'date'
  | 'datetime'
  | 'decimal'
  | 'integer'
  | 'boolean'
  | 'enum';

/** A field of an API page. */
export interface Field {
  readonly kind: FieldKind;
  readonly writable: boolean;
  /** Maximum length of texts and codes. */
  readonly longest?: number;
  /** Members of an enumeration, in their encoded form. */
  readonly members?: readonly string[];
  /** The value of an empty field, because there is no null. */
  readonly blank: JsonValue;
}

/** Fields in the order of the page, which is the order in which the page validates them. */
export type Fields = ReadonlyMap<string, Field>;

export const guid: Field = { kind: 'guid', writable: true, blank: NO_GUID };
export const date: Field = { kind: 'date', writable: true, blank: NO_DATE };
export const datetime: Field = { kind: 'datetime', writable: true, blank: NO_TIME };
export const decimal: Field = { kind: 'decimal', writable: true, blank: 0 };
export const integer: Field = { kind: 'integer', writable: true, blank: 0 };
export const boolean: Field = { kind: 'boolean', writable: true, blank: false };

export function text(longest: number): Field {
  return { kind: 'text', writable: true, longest, blank: '' };
}

/** A code. It is trimmed and converted to upper case. */
export function code(longest: number): Field {
  return { kind: 'code', writable: true, longest, blank: '' };
}

/** An enumeration. The first member is the default of a new record. */
export function members(first: string, ...others: readonly string[]): Field {
  return { kind: 'enum', writable: true, members: [first, ...others], blank: first };
}

export function readOnly(field: Field): Field {
  return { ...field, writable: false };
}

/** The same field under several names. */
export function each(names: readonly string[], field: Field): readonly (readonly [string, Field])[] {
  return names.map((name) => [name, field] as const);
}

/** Undoes the encoding of characters that no identifier may hold: `In_x0020_Review` is "In Review". */
export function decodedMember(member: string): string {
  return member.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
