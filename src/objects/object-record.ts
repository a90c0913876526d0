import type { PlatformName, ValueTerms } from '@app/mapper';
import type { ObjectRows } from '../records/objects/copy-rows';
import type { ListedRecord } from '../records/objects/listing-page.repository';
import { mappingsOf } from '../records/objects/object-version';
import { shownObject, type CanonicalText } from './shown-object';

/** The canonical object of some rows under a customer's terms. */
export function canonicalText(rows: ObjectRows, terms: ValueTerms): CanonicalText {
  const { text, version } = shownObject(rows, terms);
  return { text, version };
}

/**
 * One element of a listing, as JSON text. The stored text of the platform's payload is sent unchanged.
 *
 * @param canonical the canonical object
 */
export function objectRecordText(
  platform: PlatformName,
  { platformId, rows }: ListedRecord,
  { text, version }: CanonicalText,
): string {
  const { canonical_id, entity_type } = rows[0];
  const own = rows.find((row) => row.platform === platform && row.platform_id === platformId);
  const head = JSON.stringify({ id: platformId, canonical_id, platform, entity_type });
  return `${head.slice(0, -1)},"data":${text},"platform_data":${own?.payload ?? 'null'},"mappings":${JSON.stringify(mappingsOf(rows))},"version":"${version}"}`;
}
