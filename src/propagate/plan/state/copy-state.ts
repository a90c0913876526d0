import { mappingOf, type Mapping, type PlatformName, type PayloadReading } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';

/** The parsed record of one platform for the object of a change. */
export interface CopyState {
  readonly platform: PlatformName;
  readonly copy: StoredCopy;
  readonly mapping: Mapping;
  readonly decoded: PayloadReading;
}

/** Parses a stored record. */
export function copyState(copy: StoredCopy, entityType: Parameters<typeof mappingOf>[1]): CopyState {
  const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant });
  return { platform: copy.platform, copy, mapping, decoded: mapping.readOnce(copy.payload, copy) };
}
