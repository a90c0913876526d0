import type { CustomerTransaction } from '../../../database/transaction/store';
import type { ObjectChange } from '../../objects/object-change';
import { mergeObjects } from '../../objects/merge-objects';
import { ownIds } from '../../objects/own-ids.repository';
import { insertObjects } from '../../../records/objects/canonical-objects.repository';
import { moveRecords, type Move } from '../../objects/move-records';
import { stageMerges, storedMerges, unstageMerges } from '../../round/staged-matches.repository';
import type { ObjectRecords } from './arrange';
import { nameOf } from '../../rule/link-constraints';
import type { Reassignment } from './reassignment';

/** Creates the new objects and returns the moves of all records with their targets. */
export async function movesWithTargets(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  { moves }: Reassignment,
): Promise<readonly Move[]> {
  const unassigned = moves.flatMap(({ together, to }) => (to === undefined ? together.slice(0, 1) : []));
  const ids = await ownIds(tx, entityType, unassigned, cause.id);
  await insertObjects(tx, entityType, ids);
  const made = new Map(unassigned.map((record, place) => [nameOf(record), ids[place]]));
  return moves.flatMap(({ records, together, to }) => {
    const [first] = together;
    const target = to ?? (first && made.get(nameOf(first)));
    if (target === undefined) throw new Error('Moved records have no object');
    return records.map(({ platform, platformId, object }) => ({
      platform,
      platformId,
      from: object,
      to: target,
    }));
  });
}

/** Moves each record once no record of the same platform is left in the target object. */
export async function moveInTurn(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  moves: readonly Move[],
  groups: readonly ObjectRecords[],
): Promise<void> {
  const taken = new Set(groups.flat().map(({ object, platform }) => `${object} ${platform}`));
  let waiting = moves;
  while (waiting.length > 0) {
    const free = waiting.filter(({ to, platform }) => !taken.has(`${to} ${platform}`));
    if (free.length === 0) throw new Error('Moved records wait for the places of each other');
    await moveRecords(tx, { entityType, cause }, free);
    for (const { from, platform } of free) taken.delete(`${from} ${platform}`);
    waiting = waiting.filter((move) => !free.includes(move));
  }
}

/** Merges objects into others. */
export async function merge(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  { merges }: Reassignment,
): Promise<void> {
  if (merges.length === 0) return;
  const runId = cause.id;
  await stageMerges(tx, runId, entityType, merges);
  await mergeObjects(tx, { entityType, cause }, storedMerges(entityType, runId));
  await unstageMerges(tx, runId);
}
