import type { StoredEntityType } from '@app/client';

/** A stored type in the words of a heading. */
export const typeName: Readonly<Record<StoredEntityType, string>> = {
  project: 'Project',
  customer: 'Customer',
  contract: 'Contract',
  invoice: 'Invoice',
  payment: 'Payment',
};

/** The objects of a stored type, as a heading. */
export const typeWords: Readonly<Record<StoredEntityType, string>> = {
  project: 'Projects',
  customer: 'Customers',
  contract: 'Contracts',
  invoice: 'Invoices',
  payment: 'Payments',
};

/** The stored types. */
export const storedTypes = [
  'project',
  'customer',
  'contract',
  'invoice',
  'payment',
] as const satisfies StoredEntityType[];

/** The stored types, to choose from: each with its words. */
export const typeOptions = storedTypes.map((type) => [type, typeName[type]] as const);

/** The stored type that a text names. */
export function storedTypeOf(text: string | null): StoredEntityType | undefined {
  return storedTypes.find((type) => type === text);
}
