import { mappingOf, type Mapping, type PlatformName, type PayloadReading } from '@app/mapper';
import type { StoredCopy } from '../../records/stored-objects';

/** One platform's record of the object that changes, taken apart. */
export interface CopyState {
  readonly platform: PlatformName;
  readonly copy: StoredCopy;
  readonly mapping: Mapping;
  readonly decoded: PayloadReading;
}

/** Takes a stored copy apart. */
export function copyState(copy: StoredCopy, entityType: Parameters<typeof mappingOf>[1]): CopyState {
  const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant });
  return { platform: copy.platform, copy, mapping, decoded: mapping.readOnce(copy.payload, copy) };
}
