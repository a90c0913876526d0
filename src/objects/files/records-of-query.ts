import { invalidInput } from '../../common/errors/api-error';
import { missing, type ObjectsQuery } from '../objects.dto';
import type { RecordsOfFile } from './file-records.repository';

/** Parameters that select records of a listing. A file has all records, as of one moment. */
const ofListings = [
  'modified_after',
  'canonical_id',
  'q',
  'status',
  'project_id',
  'date_from',
  'date_to',
  'sort',
  'count',
  'include_deleted',
] as const satisfies readonly (keyof ObjectsQuery)[];

/**
 * The records of a query for a file. Pure.
 *
 * @throws ApiError 400 that names all parameters which do not go with a file
 */
export function recordsOfQuery(query: ObjectsQuery): Omit<RecordsOfFile, 'time'> {
  const { platform, entity_type: entityType } = query;
  const problems = ofListings
    .filter((name) => query[name] !== undefined)
    .map((name) => `${name} does not go with Accept: text/csv, which lists all records as of one moment`);
  if (platform === undefined || problems.length > 0)
    throw invalidInput(platform === undefined ? [missing, ...problems] : problems);
  return { platform, entityType };
}
