import type { EntitySet } from '../model/entity-set';
import { badRequest } from '../odata-error';
import { textOf, valueOf, type Row } from '../store/row';
import { compareValues, fieldNamed, literalValue } from './compare';
import type { Filter, Operator } from './filter';

export type Predicate = (row: Row) => boolean;

const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const fits: Readonly<
  Record<'contains' | 'startswith' | 'endswith', (text: string, part: string) => boolean>
> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

/** Whether a row passes a filter on a page. @throws ODataError for fields and literals that the page does not have */
export function predicateOf(set: EntitySet, filter: Filter | undefined): Predicate {
  if (filter === undefined) return () => true;
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [one, other] = filter.parts.map((part) => predicateOf(set, part));
      if (one === undefined || other === undefined) return () => true;
      return filter.kind === 'and' ? (row) => one(row) && other(row) : (row) => one(row) || other(row);
    }
    case 'not': {
      const inner = predicateOf(set, filter.part);
      return (row) => !inner(row);
    }
    case 'ignored':
      return () => true;
    case 'function': {
      const field = fieldNamed(set, filter.field);
      if (field.kind !== 'text' && field.kind !== 'code') {
        throw badRequest(`The function '${filter.name}' takes a text, and '${filter.field}' is none.`);
      }
      const part = field.kind === 'code' ? filter.text.toUpperCase() : filter.text;
      const isFit = fits[filter.name];
      return (row) => isFit(textOf(row, filter.field), part);
    }
    case 'compare': {
      const field = fieldNamed(set, filter.field);
      const value = literalValue(filter.field, field, filter.literal);
      const isFit = holds[filter.operator];
      return (row) => isFit(compareValues(field, valueOf(row, filter.field), value));
    }
  }
}
