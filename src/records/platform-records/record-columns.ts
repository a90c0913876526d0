import type { StoredEntityType } from '@app/mapper';
import {
  recordColumns,
  type ColumnName,
  type ColumnRole,
  type RecordColumn,
} from '../../database/entities/record-columns';

export { recordColumns, type ColumnName, type ColumnRole, type RecordColumn };

function withRole<Role extends ColumnRole>(...roles: readonly Role[]): readonly ColumnName<Role>[] {
  const chosen = recordColumns.filter(({ role }) => roles.some((one) => one === role));
  // Only columns of these roles are left; TypeScript does not narrow a list by the roles that a caller chooses.
  return chosen.map(({ name }) => name as ColumnName<Role>);
}

/** Columns that follow from the platform's record alone. When the record changes, all of them change with it. */
export const contentColumns = withRole('content', 'reference');

/** Columns that reconciliation decides: the record's object, and the objects that it refers to. */
export const placementColumns = withRole('placement');

/** The canonical references between stored records, and the pairs of columns that hold them. */
export const referenceColumns = {
  project_id: { ref: 'project_ref', id: 'project_canonical_id', entityType: 'project' },
  customer_id: { ref: 'customer_ref', id: 'customer_canonical_id', entityType: 'customer' },
  contract_id: { ref: 'contract_ref', id: 'contract_canonical_id', entityType: 'contract' },
  invoice_id: { ref: 'invoice_ref', id: 'invoice_canonical_id', entityType: 'invoice' },
} as const satisfies Record<
  string,
  {
    readonly ref: ColumnName<'reference'>;
    readonly id: ColumnName<'placement'>;
    readonly entityType: StoredEntityType;
  }
>;

/** See {@link referenceColumns}. */
export type ReferenceField = keyof typeof referenceColumns;

/** The canonical reference fields, in the order of their columns. */
export const referenceFields = Object.keys(referenceColumns) as readonly ReferenceField[];

/**
 * The field of a type that the columns of a reference field hold. A company has no customer; its parent company is kept
 * there.
 */
export function fieldKeptIn(entityType: StoredEntityType, columns: ReferenceField): string {
  return entityType === 'customer' && columns === 'customer_id' ? 'parent_id' : columns;
}
