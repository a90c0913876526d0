import { platformNames } from '@app/mapper';
import { changedSince } from '../../records/history/changed-since';
import { objectNamedBy } from '../object-named';
import type { Selection } from './selection';

/** Gives the parameter that holds the value of a name, such as `$8`. */
export type ParameterOf = (name: string) => string;

/** A condition of a selection. */
export type SelectionCondition = OtherCondition | FoundCondition;

/** A condition as SQL about the key `k` of a record or an object, which has a `canonical_id`. */
interface AnyCondition {
  /** The condition's values by the names of their parameters; undefined where the selection does not have it. */
  readonly valuesOf: (selection: Selection) => Readonly<Record<string, string>> | undefined;
  /** @param includeDeleted whether the object's deleted records may meet it too */
  readonly sql: (parameter: ParameterOf, includeDeleted: boolean) => string;
}

/**
 * How a statement finds the records that meet a condition. `led`: an index leads to one object. `found`: an index leads to
 * them, in no order. `examined`: no index does, so the statement examines a bounded number of records.
 */
export type FindingWay = 'led' | 'found' | 'examined';

interface OtherCondition extends AnyCondition {
  readonly by: Exclude<FindingWay, 'found'>;
}

/** A condition that some record of the object meets. */
export interface FoundCondition extends AnyCondition {
  readonly by: 'found';
  /** SQL about a record `m`. */
  readonly meets: (parameter: ParameterOf) => string;
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

/** SQL for records `m` of a table that meet a condition, without the columns that are selected. */
export function recordsThat(
  { meets }: Pick<FoundCondition, 'meets'>,
  parameter: ParameterOf,
  table = 'platform_records',
): string {
  return `from ${table} m
    where m.customer_id = $1 and m.entity_type = ${parameter('type')} and ${meets(parameter)}`;
}

/** A condition that one of the object's records has to meet, whatever its platform. */
function ofSomeRecord(meets: FoundCondition['meets']): Pick<FoundCondition, 'by' | 'sql' | 'meets'> {
  // With the limit the planner looks at the records of one object after the other, and never at those of all.
  const has = (table: string, parameter: ParameterOf): string => `(
    select true ${recordsThat({ meets }, parameter, table)} and m.canonical_id = k.canonical_id limit 1)`;
  return {
    by: 'found',
    meets,
    sql: (parameter, includeDeleted) =>
      includeDeleted
        ? `coalesce(${has('platform_records', parameter)}, ${has('deleted_records', parameter)}, false)`
        : has('platform_records', parameter),
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
