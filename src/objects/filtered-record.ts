import type { PlatformName, ValueTerms } from '@app/mapper';
import { mappingsOf } from '../records/objects/object-version';
import type { FilteredRecord } from './filtered-page.repository';
import { shownObject } from './shown-object';

/** One element of a filtered listing, as JSON text. The stored text of the payload is sent unchanged. */
export function filteredRecordText(
  platform: PlatformName,
  { platformId, deletedAt, rows, payload, isThere }: FilteredRecord,
  terms: ValueTerms,
): string {
  const { canonical_id, entity_type } = rows[0];
  const { text, version } = shownObject(rows, terms, isThere);
  const head = JSON.stringify({ id: platformId, canonical_id, platform, entity_type });
  const mappings = JSON.stringify(isThere ? mappingsOf(rows) : []);
  const gone = deletedAt === null ? '' : `,"deleted_at":${JSON.stringify(deletedAt)}`;
  return `${head.slice(0, -1)},"data":${text},"platform_data":${payload},"mappings":${mappings},"version":"${version}"${gone}}`;
}
