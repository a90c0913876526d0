/**
 * Tables whose rows belong to a run and have no foreign key to its customer. A transaction that deletes a customer must
 * delete these rows too, after the customer. A run in progress can no longer write then.
 */
export const stagingTables = [
  'staged_records',
  'staged_sightings',
  'staged_placements',
  'staged_links',
  'staged_merges',
  'sync_checkpoints',
] as const;
