import type { StoredEntityType } from '@app/mapper';

/**
 * Records of a page. Documents come with their lines, so theirs are smaller: what a page takes the platform in time, and
 * us in memory, is about the same.
 */
export const PAGE_SIZES: Readonly<Record<StoredEntityType, number>> = {
  project: 5_000,
  customer: 5_000,
  contract: 2_500,
  invoice: 2_500,
  payment: 5_000,
};
