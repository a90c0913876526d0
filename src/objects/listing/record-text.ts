import type { PlatformName, ValueTerms } from '@app/mapper';
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
 * One element of a listing, as JSON text. The stored text of the platform's payload is sent unchanged.
 *
 * @param canonical the canonical object
 */
export function recordText(
  platform: PlatformName,
  { platformId, deletedAt, rows, payload, isThere }: ListedRecord,
  { text, version }: CanonicalText,
): string {
  const { canonical_id, entity_type } = rows[0];
  const head = JSON.stringify({ id: platformId, canonical_id, platform, entity_type });
  const mappings = JSON.stringify(isThere ? mappingsOf(rows) : []);
  const gone = deletedAt === undefined ? '' : `,"deleted_at":${JSON.stringify(deletedAt)}`;
  return `${head.slice(0, -1)},"data":${text},"platform_data":${payload},"mappings":${mappings},"version":"${version}"${gone}}`;
}
