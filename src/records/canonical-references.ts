/**
 * Columns outside the records that hold canonical IDs. When two objects become one, what stands there under the ID that
 * goes moves to the ID that stays.
 */
export const canonicalReferences = [
  { table: 'propagations', column: 'canonical_id' },
  { table: 'outbox_commands', column: 'canonical_id' },
] as const;
