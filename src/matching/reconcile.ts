import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { insertSelectedObjects } from '../records/objects/canonical-objects.repository';
import { insertSelectedRecords } from '../records/platform-records/platform-records.repository';
import {
  contentColumns,
  placementColumns,
  referenceColumns,
} from '../records/platform-records/record-columns';
import { reconsiderDecided } from './decisions/rematch/reconsider';
import { followStored, replaceStored } from './round/update-stored';
import { keepNewestCopies } from './round/staged-records.repository';
import { anyMerge, placedId, placeNew, storedMerges } from './round/staged-matches.repository';
import { linkObjects } from './round/link-objects';
import { mergeObjects } from './objects/merge-objects';
import { assignIds } from './round/assign-ids';
import { splitContradicted } from './round/split-contradicted';
import { restoreDeleted } from './round/restore-deleted';
import { decidedTypes } from './rule/link-constraints.repository';
import { surveyStaged, type Survey } from './round/staging-survey.repository';
import {
  parametersOf,
  referencesOf,
  staged,
  type StagedReading,
  type MatchingRound,
} from './round/matching-round';

/** Memory for each sort, twice as much for each hash table: enough for the keys and IDs of a type of 100,000 records. */
const WORK_MEM = '64MB';

/** What reconciling did with the staged records of a type. */
export interface ReconcileResult {
  /** Records stored for the first time. */
  readonly added: number;
  /** Stored records that were replaced by others. */
  readonly changed: number;
  /** Records that were marked as deleted and are there again. */
  readonly returned: number;
  /** Links made between records of different platforms, of new records and of stored ones. */
  readonly linked: number;
}

/**
 * Moves the staged records of a run into the customer's store, with a fixed number of statements for each type. The
 * caller holds the customer's lock and commits. It removes the staged rows later, after it has released the lock.
 *
 * Decisions by people come first. Then matching is a function of the keys and linked parents of all records of a
 * type: the order in which records or platforms arrived does not matter. Existing links are kept. Staged records
 * replace stored ones with the same native ID.
 */
export async function reconcile(
  tx: CustomerTransaction,
  reading: StagedReading,
): Promise<ReadonlyMap<StoredEntityType, ReconcileResult>> {
  // A nested loop that was planned for one row takes hours over a hundred thousand rows, and the planner knows little
  // about tables that are being filled. Every join here is an equality join, so the other join methods always apply
  // and read the customer's records of a type once.
  const [, , , decided] = await Promise.all([
    tx.store.set('enable_nestloop = off'),
    tx.store.set(`work_mem = '${WORK_MEM}'`),
    // The staged rows of a run are adjacent in the order of their index. The planner does not know that, and would read
    // the rows of all types and of all runs for each type.
    tx.store.set('random_page_cost = 1.1'),
    decidedTypes(tx),
  ]);
  const survey = await surveyStaged(tx, reading);
  await keepNewestCopies(tx, reading, survey);
  const reconciled = new Map<StoredEntityType, ReconcileResult>();
  const split: string[] = [];
  for (const entityType of storedEntityTypes) {
    const round = { ...reading, entityType, decided: decided.has(entityType) };
    reconciled.set(entityType, await reconcileType(tx, round, survey, split));
  }
  await reconsiderDecided(tx, reading.cause, decided);
  return reconciled;
}

/**
 * To plan these statements takes longer than to run them on a few records, so those that would find none are not sent.
 *
 * @param split objects that this run has split so far; those of this type are added
 */
async function reconcileType(
  tx: CustomerTransaction,
  round: MatchingRound,
  survey: Survey,
  split: string[],
): Promise<ReconcileResult> {
  const { entityType, runId, isFirst } = round;
  const isStaged = survey.types.has(entityType);
  const returned = await restoreDeleted(tx, round);
  const hasStored = !isFirst || returned > 0;
  const changed = isStaged && hasStored ? await replaceStored(tx, round) : 0;
  if (hasStored) await followStored(tx, round);
  if (isStaged) await placeNew(tx, round, survey.namedBy.get(entityType) ?? new Map());
  for (const id of await splitContradicted(tx, round, split)) split.push(id);
  const linked = await linkObjects(tx, round);
  if (await anyMerge(tx, round)) await mergeObjects(tx, round, storedMerges(entityType, runId));
  const added = isStaged ? await storePlaced(tx, round) : 0;
  return { added, changed, returned, linked };
}

/** Stores the placed records, and the objects of those that have no partner. @returns how many records */
async function storePlaced(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, runId, cause } = round;
  await assignIds(tx, round);
  await insertSelectedObjects(tx, newObjects, [entityType, runId]);
  const added = await insertSelectedRecords(tx, recordColumns, newRecords, [
    ...parametersOf(round),
    cause.at,
    cause.id,
  ]);
  // Records may refer to records of their own type in the same run.
  if (referencesOf[entityType].some((field) => referenceColumns[field].entityType === entityType)) {
    await followStored(tx, round);
  }
  return added;
}

// A record that was linked has the ID of a stored object beside its own one, see `assignIds`.
const newObjects = `
  select p.customer_id, ${placedId('p')}, p.entity_type from staged_placements p
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and (p.canonical_id is null or p.own_id is null)
    and not exists (
      select 1 from canonical_objects o where o.customer_id = $1 and o.entity_type = $2 and o.id = ${placedId('p')}
    )`;

const contents = contentColumns.map((column) => `s.${column}`);
const placements = placementColumns.map((column) =>
  column === 'canonical_id' ? placedId('p') : `p.${column}`,
);
const recordColumns = [
  'customer_id',
  'platform',
  'entity_type',
  'platform_id',
  ...contentColumns,
  ...placementColumns,
  'since',
  'changed_by',
];
const newRecords = `
  select p.customer_id, $3, p.entity_type, p.platform_id, ${[...contents, ...placements].join(', ')},
    $5::timestamptz, $6::uuid
  from staged_placements p join staged_records s on s.platform_id = p.platform_id
  where ${staged('p')} and ${staged('s')}`;
