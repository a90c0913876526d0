/**
 * Tables whose rows go with a run and have no foreign key to its customer. Whoever deletes a customer deletes their rows
 * as well, after the customer: a run that is under way can write no more then.
 */
export const stagingTables = [
  'staged_records',
  'staged_sightings',
  'staged_placements',
  'staged_links',
  'staged_merges',
  'sync_checkpoints',
] as const;
