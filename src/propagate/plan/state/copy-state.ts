import { mappingOf, type Mapping, type OwnFields, type PlatformName, type PayloadReading } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';

/** The parsed record of one platform for the object of a change. */
export interface CopyState {
  readonly platform: PlatformName;
  readonly copy: StoredCopy;
  readonly mapping: Mapping;
  readonly decoded: PayloadReading;
}

/** Parses a stored record. @param own the customer's own fields */
export function copyState(
  copy: StoredCopy,
  entityType: Parameters<typeof mappingOf>[1],
  own?: OwnFields,
): CopyState {
  const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant, own });
  return { platform: copy.platform, copy, mapping, decoded: mapping.readOnce(copy.payload, copy) };
}
