import { assembleObject, inPrecedence, stringifyJson, type PlatformName, type ValueTerms } from '@app/mapper';
import { objectFrom, type ObjectRows } from '../records/copy-rows';
import type { ListedRecord } from '../records/listing-page';

/** The canonical object of some rows under a customer's terms, as JSON text. */
export function canonicalText(rows: ObjectRows, terms: ValueTerms): string {
  return stringifyJson(assembleObject(objectFrom(rows), terms).object);
}

/**
 * One element of a listing, as JSON text. The platform's payload goes out as the very text that is stored, so nothing
 * of it can change on the way.
 *
 * @param canonical the text of the canonical object
 */
export function objectRecordText(
  platform: PlatformName,
  { platformId, rows }: ListedRecord,
  canonical: string,
): string {
  const { canonical_id, entity_type } = rows[0];
  const own = rows.find((row) => row.platform === platform && row.platform_id === platformId);
  const mappings = inPrecedence(rows).map((row) => ({
    platform: row.platform,
    platform_id: row.platform_id,
  }));
  const head = JSON.stringify({ id: platformId, canonical_id, platform, entity_type });
  return `${head.slice(0, -1)},"data":${canonical},"platform_data":${own?.payload ?? 'null'},"mappings":${JSON.stringify(mappings)}}`;
}
