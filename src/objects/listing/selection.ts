import type { PlatformName, StoredEntityType } from '@app/mapper';

/** The records that a listing selects: all present records of a type on a platform, less those that a condition leaves out. */
export interface Selection {
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  /** Only records of this object, by its canonical ID or an alias. */
  readonly canonicalId?: string;
  /** Records of objects that may have changed since this time, as PostgreSQL reads it. */
  readonly modifiedAfter?: string;
  /** Also records that were deleted on their platform. */
  readonly includeDeleted?: true;
}

/** The members of a selection that cursors are bound to, beside the customer. Their names are part of every cursor. */
export function parametersOf({ customerId: _, ...parameters }: Selection): Omit<Selection, 'customerId'> {
  return parameters;
}

/** Whether a selection has all present records and no others. */
export function isUnconditional({ canonicalId, modifiedAfter, includeDeleted }: Selection): boolean {
  return canonicalId === undefined && modifiedAfter === undefined && includeDeleted === undefined;
}
