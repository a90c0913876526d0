import { platformNames, type StoredEntityType } from '@app/mapper';
import { namesUnknownProject, projectIn } from '../../records/objects/project-of-record';
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
  /**
   * SQL for the canonical IDs of all objects of a type that meet the condition, by indexes. An ID may come several times.
   *
   * @param limit how many rows it has at most; all unless given
   */
  readonly leadsTo: (parameter: ParameterOf, entityType: StoredEntityType, limit?: string) => string;
  /** Whether it leads to others too. */
  readonly isRough?: true;
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
  // With the limit the planner looks at the records of one object after the other, and never at those of all.
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

function limitedTo(limit: string | undefined): string {
  return limit === undefined ? '' : `limit ${limit}`;
}

/** Types with records that belong to a project. The project of a record follows from one of a type before its own. */
const typesOfProjects = ['contract', 'invoice', 'payment'] as const;

/**
 * The records that name a project, those that refer to them, and those that refer to these: the project of an invoice may be
 * that of its contract, and the project of a payment that of its contract or invoice. Some of them name another project.
 */
const ledByProject: FoundCondition['leadsTo'] = (parameter, entityType, limit) => {
  const place = typesOfProjects.findIndex((type) => type === entityType);
  const types = typesOfProjects.slice(0, place + 1).map((type) => `'${type}'`);
  const most = limitedTo(limit);
  const own = `
    select m.canonical_id, m.entity_type from platform_records m
    where m.customer_id = $1 and m.entity_type in (${types.join(', ')})
      and m.project_canonical_id = ${objectNamedBy(parameter('projectId'))} ${most}`;
  const referringTo = (parents: string): string => `
    select n.canonical_id, n.entity_type from ${parents} parent cross join lateral (
      (select c.canonical_id, c.entity_type from platform_records c
        where c.customer_id = $1 and c.contract_canonical_id = parent.canonical_id
          and c.entity_type in (${types.join(', ')}) and parent.entity_type = 'contract' ${most})
      union all
      (select i.canonical_id, i.entity_type from platform_records i
        where i.customer_id = $1 and i.invoice_canonical_id = parent.canonical_id and i.entity_type = 'payment'
          and parent.entity_type = 'invoice' ${most})
    ) n ${most}`;
  const steps = types.map(
    (_, step) => `step_${step} as (${step === 0 ? own : referringTo(`step_${step - 1}`)})`,
  );
  const all = types.map((_, step) => `select canonical_id from step_${step}`).join(' union all ');
  return `with ${steps.join(', ')} select * from (${all}) led ${most}`;
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
