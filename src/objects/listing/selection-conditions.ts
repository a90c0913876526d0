import { platformNames } from '@app/mapper';
import { changedSince } from '../../records/history/changed-since';
import { objectNamedBy } from '../object-named';
import type { Selection } from './selection';

/** Gives the parameter that holds the value of a name, such as `$8`. */
export type ParameterOf = (name: string) => string;

/** A condition of a selection, as SQL about the key `k` of a record or an object, which has a `canonical_id`. */
export interface SelectionCondition {
  /** The condition's values by the names of their parameters; undefined where the selection does not have it. */
  readonly valuesOf: (selection: Selection) => Readonly<Record<string, string>> | undefined;
  /**
   * How a statement finds the records that meet it. `led`: an index leads to one object. `found`: an index leads to them,
   * in no order. `examined`: no index does, so the statement examines a bounded number of records.
   */
  readonly by: 'led' | 'found' | 'examined';
  /** @param includeDeleted whether the object's deleted records may meet it too */
  readonly sql: (parameter: ParameterOf, includeDeleted: boolean) => string;
}

/** SQL for the date of a record's document in the form of the index `ix_platform_records_date`: empty if it has none. */
export const documentDateOf = (alias: string): string => `coalesce(${alias}.document_date, '')`;

/** SQL for the words of a record in the form of the index `ix_platform_records_words`. */
const lexemesOf = (alias: string): string => {
  const tag = `${alias}.customer_id::text || ${alias}.entity_type || ':'`;
  return `array_to_tsvector(string_to_array(
    ${tag} || replace(${alias}.search_words, ' ', ' ' || ${tag}), ' '))`;
};

/** The text search for words that begin with each of these, among the words of a customer and a type. */
function searchFor({ customerId, entityType, words = [] }: Selection): string {
  return words
    .map((word) => `'${`${customerId}${entityType}:${word}`.replace(/['\\]/g, '$&$&')}':*`)
    .join(' & ');
}

/** A condition that one of the object's records has to meet, whatever its platform. */
function ofSomeRecord(meets: (parameter: ParameterOf) => string): Pick<SelectionCondition, 'by' | 'sql'> {
  const exists = (table: string, parameter: ParameterOf): string => `exists (
    select 1 from ${table} m where m.customer_id = $1 and m.canonical_id = k.canonical_id
      and m.entity_type = ${parameter('type')} and ${meets(parameter)})`;
  return {
    by: 'found',
    sql: (parameter, includeDeleted) =>
      includeDeleted
        ? `(${exists('platform_records', parameter)} or ${exists('deleted_records', parameter)})`
        : exists('platform_records', parameter),
  };
}

function named(name: string, value: string | undefined): Readonly<Record<string, string>> | undefined {
  return value === undefined ? undefined : { [name]: value };
}

/** All conditions, in the order of their parameters. */
export const selectionConditions: readonly SelectionCondition[] = [
  {
    valuesOf: ({ canonicalId }) => named('canonicalId', canonicalId),
    by: 'led',
    sql: (parameter) => `k.canonical_id = ${objectNamedBy(parameter('canonicalId'))}`,
  },
  {
    valuesOf: ({ modifiedAfter }) => named('modifiedAfter', modifiedAfter),
    by: 'examined',
    sql: (parameter) => changedSince('k', parameter('modifiedAfter')),
  },
  {
    valuesOf: (selection) => named('words', selection.words && searchFor(selection)),
    ...ofSomeRecord(
      (parameter) => `m.search_words is not null and ${lexemesOf('m')} @@ ${parameter('words')}::tsquery`,
    ),
  },
  {
    valuesOf: ({ status }) => named('status', status),
    ...ofSomeRecord((parameter) => `m.status = ${parameter('status')}`),
  },
  {
    valuesOf: ({ projectId }) => named('projectId', projectId),
    ...ofSomeRecord((parameter) => `m.project_canonical_id = ${objectNamedBy(parameter('projectId'))}`),
  },
  {
    valuesOf: ({ dates }) => dates && { dateFrom: dates[0], dateTo: dates[1] },
    ...ofSomeRecord(
      // The index has a record's platform before its date.
      (parameter) => `m.platform in (${platformNames.map((name) => `'${name}'`).join(', ')})
        and ${documentDateOf('m')} between ${parameter('dateFrom')} and ${parameter('dateTo')}`,
    ),
  },
];
