import { mappingOf, type StoredEntityType } from '@app/mapper';
import type { LoadedObject } from '../../../records/loaded-object';
import type { Change } from '../intent/change';
import type { FieldValues } from '../intent/canonical-intent';
import { patchedPaths, withShownNames } from '../intent/native-patch';

/** Objects whose amounts are added to that of the changed object. */
export interface Figures {
  /** Payments of its invoice, invoices of its contract, its own payments or invoices. */
  readonly objects: readonly LoadedObject[];
  /** Whether all of them were read. */
  readonly complete: boolean;
}

export const noFigures: Figures = { objects: [], complete: true };

/** Fields that affect sums: the amount of a record, and the object to which it is added. None where a type is in no sum. */
const compared: Readonly<
  Record<StoredEntityType, { readonly own: readonly string[]; readonly parent: readonly string[] }>
> = {
  project: { own: [], parent: [] },
  customer: { own: [], parent: [] },
  payment: { own: ['amount', 'status'], parent: ['invoice_id', 'invoice_number'] },
  invoice: { own: ['amount', 'net_amount', 'status'], parent: ['contract_id'] },
  contract: { own: ['amount', 'approved_changes', 'revised_amount'], parent: [] },
};

/**
 * The figures that a change may be compared with, judged by its patch alone: none, those of the object's present
 * parents, or also those of its new parents.
 */
export function figuresWanted({ entityType, target, patch }: Change): 'none' | 'present' | 'moved' {
  const fields = compared[entityType];
  if (fields.own.length === 0) return 'none';
  const named = new Set(target.format === 'canonical' ? Object.keys(patch) : canonicalNames());
  if (fields.parent.some((field) => named.has(field))) return 'moved';
  return fields.own.some((field) => named.has(field)) ? 'present' : 'none';

  function canonicalNames(): readonly string[] {
    if (target.format === 'canonical') return [];
    const mapping = mappingOf(target.platform, entityType);
    return mapping.fieldsAt(patchedPaths(withShownNames(patch, mapping.resource.writeNames)));
  }
}

/** Whether a patch, compared with the record, changes an input of the sums. */
export function changesFigures(
  entityType: StoredEntityType,
  { fields, references }: { readonly fields: FieldValues; readonly references: ReadonlyMap<string, unknown> },
): boolean {
  const { own, parent } = compared[entityType];
  return [...own, ...parent].some((field) => fields.has(field) || references.has(field));
}
