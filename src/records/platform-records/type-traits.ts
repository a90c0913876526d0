import { storedEntityTypes, type StoredEntityType } from '@app/mapper';

/** What matching, changes, listings and statements need to know of a stored type. */
export interface TypeTraits {
  /**
   * Whether its records are money: statements have control totals of it, and no change creates a record of it that the
   * request does not ask for.
   */
  readonly hasAmount: boolean;
  /** The canonical fields of the date of a document. The first one that a record has counts; none for types that are no documents. */
  readonly dateFields: readonly string[];
  /** The canonical fields of the date on which a document is due. The first one that a record has counts. */
  readonly dueDateFields: readonly string[];
  /** The types whose objects its records name by columns of their own (`project_canonical_id`, …), parents first. */
  readonly refersTo: readonly ('project' | 'contract' | 'invoice')[];
}

/** The traits of each stored type. A new type has to have its own. */
export const typeTraits: Readonly<Record<StoredEntityType, TypeTraits>> = {
  project: { hasAmount: false, dateFields: [], dueDateFields: [], refersTo: [] },
  customer: { hasAmount: false, dateFields: [], dueDateFields: [], refersTo: [] },
  contract: {
    hasAmount: true,
    dateFields: ['contract_date', 'start_date'],
    dueDateFields: [],
    refersTo: ['project'],
  },
  invoice: {
    hasAmount: true,
    dateFields: ['invoice_date'],
    dueDateFields: ['due_date'],
    refersTo: ['project', 'contract'],
  },
  payment: {
    hasAmount: true,
    dateFields: ['date'],
    dueDateFields: [],
    refersTo: ['project', 'contract', 'invoice'],
  },
};

/** The canonical field by which documents of a type are found and ordered; undefined for types that are no documents. */
export function documentDateField(entityType: StoredEntityType): string | undefined {
  return typeTraits[entityType].dateFields[0];
}

/** Types whose records refer to a project, a contract or an invoice. Each type refers only to types before it. */
export const referringTypes = storedEntityTypes.filter((type) => typeTraits[type].refersTo.length > 0);
