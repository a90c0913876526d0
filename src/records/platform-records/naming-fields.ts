import type { StoredEntityType } from '@app/mapper';

/** The canonical fields by which people know an object of a type: its number, and its title or name. */
export const namingFields: Readonly<
  Record<StoredEntityType, { readonly number: string; readonly title?: string }>
> = {
  project: { number: 'number', title: 'name' },
  customer: { number: 'number', title: 'name' },
  contract: { number: 'number', title: 'title' },
  invoice: { number: 'number' },
  payment: { number: 'check_number' },
};
