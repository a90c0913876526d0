import type { CustomerTransaction } from '../../../database/transaction/store';
import type { ObjectChange } from '../../objects/object-change';
import { mergeObjects } from '../../objects/merge-objects';
import { partObjects, type Parting } from '../../objects/part-objects';
import { moveRecords, type Move } from '../../objects/move-records';
import { stageMerges, storedMerges, unstageMerges } from '../../round/staged-matches.repository';
import type { ObjectRecords } from './arrange';
import type { Reassignment } from './reassignment';

/** Moves of records, and what becomes of the aliases of the objects that they leave. */
export interface MovesWithTargets {
  readonly moves: readonly Move[];
  readonly aliases: Parting['aliases'];
}

/** Creates the new objects and returns the moves of all records with their targets. */
export async function movesWithTargets(
  tx: CustomerTransaction,
  change: ObjectChange,
  { moves }: Reassignment,
): Promise<MovesWithTargets> {
  const leaving = moves.map(({ records, to }) => ({
    records: records.map(({ platform, platformId, object: from }) => ({ platform, platformId, from })),
    to,
  }));
  const { targets, aliases } = await partObjects(tx, change, leaving);
  return {
    moves: leaving.flatMap(({ records }, place) =>
      records.map((record) => ({ ...record, to: targets[place] ?? record.from })),
    ),
    aliases,
  };
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
