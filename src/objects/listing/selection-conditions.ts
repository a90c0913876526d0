import { platformNames, type StoredEntityType } from '@app/mapper';
import { namesUnknownProject, projectIn } from '../../records/objects/project-of-record';
import { changedParents, changedSince, touchedSince } from '../../records/history/changed-since';
import { referringTo } from '../../records/objects/referring-records';
import { referringTypes } from '../../records/platform-records/type-traits';
import { objectNamedBy } from '../object-named';
import type { Selection } from './selection';

/** Gives the parameter that holds the value of a name, such as `$8`. */
export type ParameterOf = (name: string) => string;

/** A condition of a selection. */
export type SelectionCondition = LedCondition | FoundCondition;

/** A condition as SQL about the key `k` of a record or an object, which has a `canonical_id`. */
interface AnyCondition {
  /** The condition's values by the names of their parameters; undefined where the selection does not have it. */
  readonly valuesOf: (selection: Selection) => Readonly<Record<string, string>> | undefined;
  /** SQL of common table expressions that the condition uses: the text between `with` and the rest of the statement. */
  readonly relations?: (parameter: ParameterOf) => string;
  /** @param includeDeleted whether the object's deleted records may meet it too */
  readonly sql: (parameter: ParameterOf, includeDeleted: boolean) => string;
}

/**
 * How a statement finds the records that meet a condition.
 *
 * - `led`: an index leads to one object;
 * - `found`: an index leads to the records, in no order;
 * - `examined`: the statement examines a bounded number of records, because an index leads to too many, or does not
 *   contain these records.
 */
export type FindingWay = 'led' | 'found' | 'examined';

interface LedCondition extends AnyCondition {
  readonly by: 'led';
}

/** A condition that some record of the object meets. */
export interface FoundCondition extends AnyCondition {
  readonly by: 'found';
  /**
   * SQL for the canonical IDs of all objects of a type that meet the condition, found by indexes. An ID may occur
   * several times.
   *
   * @param limit the most rows; by default all
   */
  readonly leadsTo: (parameter: ParameterOf, entityType: StoredEntityType, limit?: string) => string;
  /** Whether it leads to others too. */
  readonly isRough?: true;
  /** Whether usually few records meet the condition, so that the first page uses its index at once, without a probe. */
  readonly isUsuallyFew?: true;
  /** Whether it leads to objects whose records are deleted too. */
  readonly leadsToDeleted?: true;
}

/** SQL for the date of a record's document in the form of the index `ix_platform_records_date`: empty if it has none. */
export const documentDateOf = (alias: string): string => `coalesce(${alias}.document_date, '')`;

/** SQL for the words of a record in the form of the index `ix_platform_records_words`. */
const lexemesOf = (alias: string): string => {
  const tag = `${alias}.customer_id::text || ${alias}.entity_type || ':'`;
  return `array_to_tsvector(string_to_array(
    ${tag} || replace(${alias}.search_words, ' ', ' ' || ${tag}), ' '))`;
};

/** The text search for searchTerms that begin with each of these, among the searchTerms of a customer and a type. */
function searchFor({ customerId, entityType, searchTerms = [] }: Selection): string {
  return searchTerms
    .map((term) => `'${`${customerId}${entityType}:${term}`.replace(/['\\]/g, '$&$&')}':*`)
    .join(' & ');
}

/**
 * A condition that one of the object's records has to meet, whatever its platform.
 *
 * @param meets SQL about a record `m`
 */
function ofSomeRecord(
  meets: (parameter: ParameterOf) => string,
): Pick<FoundCondition, 'by' | 'sql' | 'leadsTo'> {
  const from = (table: string, parameter: ParameterOf): string =>
    `from ${table} m where m.customer_id = $1 and m.entity_type = ${parameter('type')} and ${meets(parameter)}`;
  // With the limit the planner reads the records of one object after the other, and never those of all objects.
  const has = (table: string, parameter: ParameterOf): string => `(
    select true ${from(table, parameter)} and m.canonical_id = k.canonical_id limit 1)`;
  return {
    by: 'found',
    leadsTo: (parameter, _, limit) =>
      `select m.canonical_id ${from('platform_records', parameter)} ${limitedTo(limit)}`,
    sql: (parameter, includeDeleted) =>
      includeDeleted
        ? `coalesce(${has('platform_records', parameter)}, ${has('deleted_records', parameter)}, false)`
        : has('platform_records', parameter),
  };
}

/** More rows than any table has, as SQL: the largest `bigint`. */
const MOST_ROWS = '9223372036854775807';

function limitedTo(limit: string | undefined): string {
  return limit === undefined ? '' : `limit ${limit}`;
}

/**
 * The records that name a project, the records that refer to these, and the records that refer to those in turn. The
 * project of an invoice may be that of its contract, and the project of a payment that of its contract or invoice. Some
 * of the records may name another project.
 */
const ledByProject: FoundCondition['leadsTo'] = (parameter, entityType, limit) => {
  const types = referringTypes.slice(0, referringTypes.findIndex((type) => type === entityType) + 1);
  const most = limitedTo(limit);
  const project = `select ${objectNamedBy(parameter('projectId'))} as canonical_id, 'project' as entity_type`;
  const steps = types.map(
    (_, step) => `step_${step} as (${referringTo(step === 0 ? 'named' : `step_${step - 1}`, types, most)})`,
  );
  const all = types.map((_, step) => `select canonical_id from step_${step}`).join(' union all ');
  return `with named as (${project}), ${steps.join(', ')} select * from (${all}) led ${most}`;
};

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
    by: 'found',
    relations: (parameter) =>
      `changed_parents as materialized (select * from ${changedParents(parameter('modifiedAfter'))} c)`,
    sql: (parameter) => changedSince('k', parameter('modifiedAfter'), 'changed_parents'),
    leadsTo: (parameter, _, limit = MOST_ROWS) =>
      touchedSince(parameter('modifiedAfter'), parameter('type'), limit),
    isRough: true,
    isUsuallyFew: true,
    leadsToDeleted: true,
  },
  {
    valuesOf: (selection) => named('words', selection.searchTerms && searchFor(selection)),
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
    ...ofSomeRecord(
      (parameter) => `case when not ${namesUnknownProject('m')} then ${projectIn('platform_records', 'm')} end
        = ${objectNamedBy(parameter('projectId'))}`,
    ),
    leadsTo: ledByProject,
    isRough: true,
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
