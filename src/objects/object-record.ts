import { assembleObject, stringifyJson, type PlatformName } from '@app/mapper';
import { mappingsOf } from '../records/stored-objects';
import type { ListedRecord } from './listing-page';

/**
 * One element of a listing, as JSON text. The platform's payload goes out as the very text that is stored, so nothing
 * of it can change on the way.
 */
export function objectRecordText(platform: PlatformName, { platformId, loaded }: ListedRecord): string {
  const { object } = assembleObject(loaded);
  const payload = loaded.copies.find((copy) => copy.platform === platform && copy.platformId === platformId);
  const head = stringifyJson({
    id: platformId,
    canonical_id: loaded.id,
    platform,
    entity_type: loaded.entityType,
    data: object,
  });
  const mappings = JSON.stringify(mappingsOf(loaded));
  return `${head.slice(0, -1)},"platform_data":${payload?.payloadText ?? 'null'},"mappings":${mappings}}`;
}
