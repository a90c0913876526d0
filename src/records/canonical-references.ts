import { referenceColumns } from './record-columns';

/**
 * Every column that names a canonical object and follows it when the object is merged into another one. A table that
 * gets such a column adds a line here; a test compares the list with the schema.
 */
export const canonicalReferences: readonly { readonly table: string; readonly column: string }[] = [
  { table: 'platform_records', column: 'canonical_id' },
  ...Object.values(referenceColumns).map(({ id }) => ({ table: 'platform_records', column: id })),
  { table: 'deleted_records', column: 'canonical_id' },
  ...Object.values(referenceColumns).map(({ id }) => ({ table: 'deleted_records', column: id })),
  { table: 'canonical_aliases', column: 'canonical_id' },
  { table: 'propagations', column: 'canonical_id' },
  { table: 'outbox_commands', column: 'canonical_id' },
];
