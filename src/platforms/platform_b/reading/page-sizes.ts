import type { StoredEntityType } from '@app/mapper';

/**
 * Records of a page. Documents include their lines, so their pages have fewer records. Every page costs the platform
 * about the same time and this process about the same memory.
 */
export const PAGE_SIZES: Readonly<Record<StoredEntityType, number>> = {
  project: 5_000,
  customer: 5_000,
  contract: 2_500,
  invoice: 2_500,
  payment: 5_000,
};
