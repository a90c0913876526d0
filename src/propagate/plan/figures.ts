import { mappingOf, type StoredEntityType } from '@app/mapper';
import type { LoadedObject } from '../../records/loaded-object';
import type { Change } from './change';
import type { FieldValues } from './intent';
import { patchedPaths, withShownNames } from './native-patch';

/** Objects whose amounts are added up with that of the changed one. */
export interface Figures {
  /** Payments of its invoice, invoices of its contract, its own payments or invoices. */
  readonly objects: readonly LoadedObject[];
  /** Whether all of them were read. */
  readonly complete: boolean;
}

export const noFigures: Figures = { objects: [], complete: true };

/** Fields that decide about sums: what a record counts, and which object it counts for. */
const compared: Partial<
  Record<StoredEntityType, { readonly own: readonly string[]; readonly parent: readonly string[] }>
> = {
  payment: { own: ['amount', 'status'], parent: ['invoice_id', 'invoice_number'] },
  invoice: { own: ['amount', 'net_amount', 'status'], parent: ['contract_id'] },
  contract: { own: ['amount', 'approved_changes', 'revised_amount'], parent: [] },
};

/**
 * Which figures a change may be compared with, as far as its patch alone says: none, those around the object as it is, or
 * also those around where it is put.
 */
export function figuresWanted({ entityType, target, patch }: Change): 'none' | 'present' | 'moved' {
  const fields = compared[entityType];
  if (fields === undefined) return 'none';
  const named = new Set(target.format === 'canonical' ? Object.keys(patch) : canonicalNames());
  if (fields.parent.some((field) => named.has(field))) return 'moved';
  return fields.own.some((field) => named.has(field)) ? 'present' : 'none';

  function canonicalNames(): readonly string[] {
    if (target.format === 'canonical') return [];
    const mapping = mappingOf(target.platform, entityType);
    return mapping.fieldsAt(patchedPaths(withShownNames(patch, mapping.options.writeNames)));
  }
}

/** Whether a patch, read against the record, changes anything that sums depend on. */
export function changesFigures(
  entityType: StoredEntityType,
  { fields, references }: { readonly fields: FieldValues; readonly references: ReadonlyMap<string, unknown> },
): boolean {
  const { own, parent } = compared[entityType] ?? { own: [], parent: [] };
  return [...own, ...parent].some((field) => fields.has(field) || references.has(field));
}
