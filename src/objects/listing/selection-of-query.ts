import { fieldsOf, type StoredEntityType } from '@app/mapper';
import { invalidInput } from '../../common/errors/api-error';
import { documentDateField } from '../../records/platform-records/type-traits';
import { wordsOf } from '../../records/platform-records/searched-columns';
import { missing, type ObjectsQuery } from '../objects.dto';
import type { ListingSort, Selection } from './selection';

/**
 * The selection of a query. Pure.
 *
 * @param modifiedAfter the time that `modified_after` means, in UTC with microseconds
 * @throws ApiError 400 that names all parameters that exclude each other
 */
export function selectionOf(
  customerId: string,
  query: ObjectsQuery,
  modifiedAfter: string | undefined,
): Selection {
  const problems = problemsOf(query);
  if (problems.length > 0) throw invalidInput(problems);
  const { platform, entity_type, canonical_id, q, status, project_id } = query;
  const dates = datesOf(query);
  return {
    customerId,
    ...(platform !== undefined && { platform }),
    entityType: entity_type,
    ...(canonical_id !== undefined && { canonicalId: canonical_id }),
    ...(modifiedAfter !== undefined && { modifiedAfter }),
    ...(q !== undefined && { searchTerms: wordsOf(q) }),
    ...(status !== undefined && { status }),
    ...(project_id !== undefined && { projectId: project_id }),
    ...(dates !== undefined && { dates }),
    ...(query.sort !== undefined && query.sort !== 'id' && { sort: query.sort }),
    ...(query.include_deleted === true && { includeDeleted: true }),
  };
}

function datesOf({ date_from: from, date_to: to }: ObjectsQuery): Selection['dates'] {
  return from === undefined && to === undefined ? undefined : [from ?? '0001-01-01', to ?? '9999-12-31'];
}

function problemsOf(query: ObjectsQuery): readonly string[] {
  const { platform, entity_type: type, canonical_id, q, status, project_id } = query;
  const problems: string[] = [];
  if (platform === undefined && canonical_id === undefined && q === undefined) problems.push(missing);
  else if (platform === undefined && query.include_deleted === true)
    problems.push('include_deleted needs platform: records that are gone are listed by platform');
  if (query.as_of !== undefined) problems.push('as_of goes with Accept: text/csv alone');
  if (q !== undefined && wordsOf(q).length === 0) problems.push('q must have a word');
  const words = statusesOf(type);
  if (status !== undefined && !words.includes(status))
    problems.push(`status of entity_type ${type} must be one of ${words.join(', ')}`);
  if (project_id !== undefined && !Object.hasOwn(fieldsOf(type), 'project_id'))
    problems.push(`project_id does not go with entity_type ${type}, which names no project`);
  for (const name of ['date_from', 'date_to'] as const) {
    if (query[name] !== undefined && documentDateField(type) === undefined)
      problems.push(`${name} does not go with entity_type ${type}, which has no document date`);
  }
  if (query.sort !== undefined && query.sort !== 'id') {
    if (platform === undefined) problems.push('sort needs platform: objects are ordered by canonical_id');
    const lacking = lackingFor(query.sort, type);
    if (lacking !== undefined)
      problems.push(`sort=${query.sort} does not go with entity_type ${type}, which has no ${lacking}`);
    if (query.include_deleted === true)
      problems.push('sort does not go with include_deleted, which is ordered by native ID');
  }
  if (query.count === true) {
    for (const name of ['modified_after', 'include_deleted'] as const) {
      if (query[name] !== undefined && query[name] !== false)
        problems.push(`count does not go with ${name}, for which no index counts`);
    }
  }
  return problems;
}

/** The field that an order needs and the type does not have; undefined if the type has it. */
function lackingFor(sort: ListingSort, type: StoredEntityType): string | undefined {
  switch (sort) {
    case 'number':
    case '-number':
      return type === 'customer' ? 'number for a key' : undefined;
    case 'date':
    case '-date':
      return documentDateField(type) === undefined ? 'document date' : undefined;
    case 'amount':
    case '-amount':
      return Object.hasOwn(fieldsOf(type), 'amount') ? undefined : 'amount';
  }
}

function statusesOf(type: StoredEntityType): readonly string[] {
  return [...(fieldsOf(type).status?.values ?? []), 'unknown'];
}
