import type { JsonObject, PlatformName, StoredEntityType } from '@app/mapper';
import type { Portfolio } from './counts';
import { recordsOfA } from './platform-a';
import { recordsOfB } from './platform-b';

/** A record as a platform has it. */
export interface MadeRecord {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly payload: JsonObject;
}

/** Some records of one type on a platform, each made from its number. */
export function madeRecords(
  platform: PlatformName,
  entityType: StoredEntityType,
  portfolio: Portfolio,
  from: number,
  end: number,
): MadeRecord[] {
  const isA = platform === 'platform_a';
  const make = (isA ? recordsOfA : recordsOfB)[entityType];
  const shape = { ...portfolio, own: isA ? 'A' : 'B' };
  const variant = isA && entityType === 'contract' ? 'WorkOrderContract' : null;
  return Array.from({ length: end - from }, (_, place) => ({
    entityType,
    variant,
    payload: make(from + place, shape),
  }));
}
