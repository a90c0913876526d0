import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isJsonObject,
  ownMember,
  parseJsonText,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';

const cache = new Map<PlatformName, JsonObject>();

/** A record of a type as the platform shows one of which nothing has been filled in yet. Read once. */
export function newRecord(platform: PlatformName, entityType: StoredEntityType): JsonObject {
  let records = cache.get(platform);
  if (records === undefined) {
    const value = parseJsonText(readFileSync(join(__dirname, 'data', platform, 'new_records.json'), 'utf8'));
    if (!isJsonObject(value)) throw new Error(`The new records of ${platform} are no JSON object`);
    records = value;
    cache.set(platform, records);
  }
  const record = ownMember(records, entityType);
  if (record === undefined || !isJsonObject(record)) throw new Error(`${platform} has no new ${entityType}`);
  return record;
}
