import type { StoredEntityType } from '@app/mapper';

/**
 * By type of document: the canonical fields of its date and of its due date. The first field that a record has counts.
 */
export const dateFields: Readonly<
  Partial<Record<StoredEntityType, { readonly date: readonly string[]; readonly due: readonly string[] }>>
> = {
  contract: { date: ['contract_date', 'start_date'], due: [] },
  invoice: { date: ['invoice_date'], due: ['due_date'] },
  payment: { date: ['date'], due: [] },
};

/** The canonical field by which documents of a type are found and ordered; undefined for types that are no documents. */
export function documentDateField(entityType: StoredEntityType): string | undefined {
  return dateFields[entityType]?.date[0];
}
