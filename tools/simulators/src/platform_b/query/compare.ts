import { ExactNumber, decimalOf, ZERO, type JsonValue } from '@app/mapper';
import { compareDecimals } from '../model/decimals';
import { decodedMember, type Field } from '../model/field';
import { isDay, sortableInstant } from '../model/instant';
import { isGuid } from '../model/fit';
import { badQuery, badRequest } from '../odata-error';
import type { Literal } from './filter';

/** Compares two values of a field's kind: negative, zero or positive. */
export function compareValues(field: Field, one: JsonValue, other: JsonValue): number {
  switch (field.kind) {
    case 'decimal':
    case 'integer':
      return typeof one === 'number' && typeof other === 'number'
        ? one - other
        : compareDecimals(decimalOf(one) ?? ZERO, decimalOf(other) ?? ZERO);
    case 'datetime':
      return compareTexts(instantOf(one), instantOf(other));
    case 'boolean':
      return Number(one === true) - Number(other === true);
    case 'guid':
    case 'text':
    case 'code':
    case 'date':
    case 'enum':
      return compareTexts(typeof one === 'string' ? one : '', typeof other === 'string' ? other : '');
  }
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * The value that a literal of a filter means for a field: keys, dates, numbers and booleans are bare, texts, codes and
 * members in quotes.
 *
 * @throws ODataError 400 for a literal of another type
 */
export function literalValue(name: string, field: Field, { quoted, text }: Literal): JsonValue {
  const wrong = (): Error =>
    badRequest(
      `A binary operator with incompatible types was detected: the property '${name}' cannot be compared with this literal.`,
    );
  switch (field.kind) {
    case 'text':
      if (!quoted) throw wrong();
      return text;
    case 'code':
      if (!quoted) throw wrong();
      return text.trim().toUpperCase();
    case 'enum': {
      if (!quoted) throw wrong();
      const member = field.members?.find((known) => known === text || decodedMember(known) === text);
      if (member === undefined) throw wrong();
      return member;
    }
    case 'guid':
      if (quoted || !isGuid(text)) throw wrong();
      return text.toLowerCase();
    case 'date':
      if (quoted || !isDay(text)) throw wrong();
      return text;
    case 'datetime':
      if (quoted || sortableInstant(text) === undefined) throw wrong();
      return text;
    case 'boolean':
      if (quoted || (text !== 'true' && text !== 'false')) throw wrong();
      return text === 'true';
    case 'decimal':
    case 'integer': {
      const number = quoted ? undefined : decimalOf(new ExactNumber(text));
      if (number === undefined) throw wrong();
      return new ExactNumber(text);
    }
  }
}

/** The field of a page. @throws ODataError 404 for a name that the page does not have */
export function fieldNamed(
  page: { readonly type: string; readonly fields: ReadonlyMap<string, Field> },
  name: string,
): Field {
  const field = page.fields.get(name);
  if (field === undefined) {
    throw badQuery(`Could not find a property named '${name}' on type 'Microsoft.NAV.${page.type}'.`);
  }
  return field;
}

function instantOf(value: JsonValue): string {
  return (typeof value === 'string' ? sortableInstant(value) : undefined) ?? '';
}
