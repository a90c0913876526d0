import { inPrecedence, type ValueTerms } from '@app/mapper';
import type { ObjectRows } from '../../records/objects/copy-rows';
import { mappingsOf } from '../../records/objects/object-version';
import { shownObject, type CanonicalText } from '../shown-object';
import type { ListedRecord } from './listing-page.repository';

/**
 * The canonical object of some rows under a customer's terms.
 *
 * @param isThere false if the object has no record any more and the rows are its last ones
 */
export function canonicalText(rows: ObjectRows, terms: ValueTerms, isThere = true): CanonicalText {
  const { text, version } = shownObject(rows, terms, isThere);
  return { text, version };
}

/**
 * One element of a listing, as JSON text: a record, or an object with its records by platform. The stored texts of the
 * platforms' payloads are sent unchanged.
 *
 * @param canonical the canonical object
 */
export function recordText({ own, rows, isThere }: ListedRecord, { text, version }: CanonicalText): string {
  const { canonical_id, entity_type } = rows[0];
  const mappings = JSON.stringify(isThere ? mappingsOf(rows) : []);
  if (own === undefined) {
    const head = JSON.stringify({ canonical_id, entity_type });
    return `${head.slice(0, -1)},"data":${text},"records":${recordsText(rows)},"mappings":${mappings},"version":"${version}"}`;
  }
  const { platform, platformId, deletedAt, payload } = own;
  const head = JSON.stringify({ id: platformId, canonical_id, platform, entity_type });
  const gone = deletedAt === undefined ? '' : `,"deleted_at":${JSON.stringify(deletedAt)}`;
  return `${head.slice(0, -1)},"data":${text},"platform_data":${payload},"mappings":${mappings},"version":"${version}"${gone}}`;
}

/** The records of an object by platform, in order of precedence. */
function recordsText(rows: ObjectRows): string {
  const records = inPrecedence(rows).map(
    ({ platform, platform_id, payload }) =>
      `${JSON.stringify(platform)}:{"id":${JSON.stringify(platform_id)},"platform_data":${payload}}`,
  );
  return `{${records.join(',')}}`;
}
