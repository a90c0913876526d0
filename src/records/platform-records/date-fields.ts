import type { StoredEntityType } from '@app/mapper';

/** Canonical fields of the date of a document, the first that a record has, and of its due date; none for other types. */
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
