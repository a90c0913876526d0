import type { PlatformName, StoredEntityType } from '@app/mapper';

/** What records may be ordered by beside their native IDs: the number, date or amount of their documents, up or down. */
export const listingSorts = ['number', '-number', 'date', '-date', 'amount', '-amount'] as const;

export type ListingSort = (typeof listingSorts)[number];

/**
 * The elements of a listing. With a platform: its present records of a type. Without one: objects of a type that have a
 * present record. Conditions exclude some of them.
 */
export interface Selection {
  readonly customerId: string;
  readonly platform?: PlatformName;
  readonly entityType: StoredEntityType;
  /** Only this object, by its canonical ID or an alias. */
  readonly canonicalId?: string;
  /** Objects that may have changed since this time, as PostgreSQL reads it. */
  readonly modifiedAfter?: string;
  /** Objects with a record in which each of these words begins a word, folded as {@link wordsOf} does. */
  readonly searchTerms?: readonly string[];
  /** Objects with a record of this status. */
  readonly status?: string;
  /** Objects with a record that belongs to this project, by its canonical ID or an alias. */
  readonly projectId?: string;
  /** Objects with a record that has a document date between these ISO dates, both included. */
  readonly dates?: readonly [from: string, to: string];
  /** The order: by native ID, or by this. Only with a platform. */
  readonly sort?: ListingSort;
  /** Also records that were deleted on their platform. Only with a platform. */
  readonly includeDeleted?: true;
}

/** The members of a selection that cursors are bound to, beside the customer. Their names are part of every cursor. */
export function parametersOf({
  customerId: _,
  searchTerms,
  dates,
  ...parameters
}: Selection): Readonly<Record<string, string | boolean>> {
  return {
    ...parameters,
    ...(searchTerms !== undefined && { words: searchTerms.join(' ') }),
    ...(dates !== undefined && { dates: dates.join(' ') }),
  };
}

/** Whether a selection has all present records of a platform and no others. */
export function isUnconditional({
  customerId: _,
  platform,
  entityType: __,
  ...conditions
}: Selection): boolean {
  return platform !== undefined && Object.values(conditions).every((condition) => condition === undefined);
}
