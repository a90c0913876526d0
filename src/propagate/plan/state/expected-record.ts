import type { JsonValue, PlatformName, StoredEntityType } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';

/** The future record of an object on a platform, by a command that is accepted and not decided. */
export interface ExpectedRecord extends Pick<
  StoredCopy,
  'payload' | 'variant' | 'inheritedCurrency' | 'localCurrency' | 'references'
> {
  readonly commandId: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
}

/** By platform and canonical ID; see {@link expectedOn}. */
export type ExpectedRecords = ReadonlyMap<string, ExpectedRecord>;

export const noneExpected: ExpectedRecords = new Map();

/** The future record of an object on a platform, by canonical ID. */
export function expectedOn(
  platform: PlatformName,
  id: JsonValue | undefined,
  expected: ExpectedRecords,
): ExpectedRecord | undefined {
  return typeof id === 'string' ? expected.get(`${platform} ${id}`) : undefined;
}
