import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { ConnectionMode } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeCause } from '../../records/changes/change-cause';
import { keepAsDeleted } from '../../records/platform-records/deleted-records.repository';
import {
  deleteRecords,
  updateRecords,
  type RecordUpdate,
} from '../../records/platform-records/platform-records.repository';
import { keepVersions } from '../../records/changes/record-versions.repository';
import { mayBeDeleted, READINGS_WITHOUT } from './absence-rules';
import { showsAbsences, type Progress } from '../run/checkpoints.repository';
import type { ClaimedRun } from '../run/run';
import type { Deletions } from '../run/run-report';

/** The results of individual lookups, by native ID. */
export interface AbsenceLookups {
  /** The platform confirms that the record does not exist. */
  readonly gone: readonly string[];
  /** The platform returns the record, although its lists do not contain it. */
  readonly there: readonly string[];
}

/** The part of a run's readings that shows deletions. */
export interface AbsenceInput {
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  readonly readingSince: string;
  readonly lookups: ReadonlyMap<StoredEntityType, AbsenceLookups>;
  /** The change that the deletions belong to. */
  readonly cause: ChangeCause;
  /** Where the run has read from, see `sourceOf`; null if that is not known. */
  readonly source: string | null;
}

/** Where the stored records were read from. */
export interface StoredSource {
  readonly mode: ConnectionMode;
  /** See `sourceOf`; null if it is not known. */
  readonly source: string | null;
}

/** A stored record that a reading of its whole scope did not contain. */
export interface MissingRecord {
  readonly platform_id: string;
  readonly variant: string | null;
  /** The record as it is stored, as JSON text. */
  readonly payload: string;
}

/**
 * Records of a type that a run has not seen, for individual lookups; none if so many are missing that a person must
 * accept the deletions first.
 *
 * @param limit the most records to return
 */
export async function missingRecords(
  tx: CustomerTransaction,
  run: ClaimedRun,
  entityType: StoredEntityType,
  readingSince: string,
  limit: number,
): Promise<readonly MissingRecord[]> {
  const own = [...parametersOf(run, entityType), readingSince];
  const [counted] = await tx.query<{ total: number; missing: number }>(countMissing, own);
  if (counted === undefined || counted.missing === 0) return [];
  if (!run.acceptDeletions && !mayBeDeleted(counted.missing, counted.total)) return [];
  return tx.query<MissingRecord>(listMissing, [...own, limit]);
}

/**
 * Counts the records that a run did not contain, and marks deleted records. A record counts as deleted when two
 * consecutive whole readings did not contain it, or one whole reading and an individual lookup. Only a reading of the
 * whole scope without gaps counts. If more than a tenth of a scope would be marked at once, none is marked until a
 * person accepts it. A record with an open write of the service stays, and so does a record that the service has
 * written since the run began.
 *
 * Records that were read in another mode come from another source. All of them are marked, also those whose native IDs this
 * reading contains: these are IDs of other records.
 *
 * @param before where the stored records were read from; undefined without records
 * @returns the marked records and those that wait for a person, by type
 */
export async function concludeAbsences(
  tx: CustomerTransaction,
  run: ClaimedRun,
  { seen, readingSince, lookups, cause, source }: AbsenceInput,
  before: StoredSource | undefined,
): Promise<ReadonlyMap<StoredEntityType, Deletions>> {
  const conclusions = new Map<StoredEntityType, Deletions>();
  const { mode } = run.connection;
  if (before === undefined || (mode === 'sandbox' && before.mode === 'sandbox')) return conclusions;
  await tx.store.set('enable_nestloop = off');
  for (const entityType of storedEntityTypes) {
    const own = parametersOf(run, entityType);
    if (before.mode !== mode) {
      const deleted = await moveRecords(tx, stored, own, cause, before.source);
      conclusions.set(entityType, { deleted, held: 0 });
      continue;
    }
    const { gone, there } = lookups.get(entityType) ?? { gone: [], there: [] };
    await updateRecords(tx, resetSeen, [...own, there]);
    const progress = seen.get(entityType);
    const conclusive = progress !== undefined && showsAbsences(progress);
    if (conclusive) await updateRecords(tx, countOnce, [...own, readingSince, there, gone]);
    const going = await markedOf(tx, own);
    if (going === 0) continue;
    const goes = conclusive && (run.acceptDeletions || mayBeDeleted(going, await totalOf(tx, own)));
    conclusions.set(
      entityType,
      goes
        ? { deleted: await moveRecords(tx, isMarked, own, cause, source), held: 0 }
        : { deleted: 0, held: going },
    );
  }
  return conclusions;
}

/** The parameters that the statements share after `$1`, the customer: `$2` type, `$3` platform, `$4` run. */
type Scope = readonly [entityType: StoredEntityType, platform: PlatformName, runId: string];

function parametersOf({ connection: { platform }, id }: ClaimedRun, entityType: StoredEntityType): Scope {
  return [entityType, platform, id];
}

async function markedOf(tx: CustomerTransaction, [entityType, platform]: Scope): Promise<number> {
  const [row] = await tx.query<{ going: number }>(countMarked, [entityType, platform]);
  return row?.going ?? 0;
}

async function totalOf(tx: CustomerTransaction, [entityType, platform]: Scope): Promise<number> {
  const [row] = await tx.query<{ total: number }>(countStored, [entityType, platform]);
  return row?.total ?? 0;
}

/** @param condition SQL for which records are deleted: `stored` or `isMarked` */
async function moveRecords(
  tx: CustomerTransaction,
  condition: string,
  [entityType, platform]: Scope,
  { at, id }: ChangeCause,
  source: string | null,
): Promise<number> {
  keepVersions(tx, `where ${condition}`, { at: '$4', id: '$5' }, [entityType, platform, at, id]);
  await keepAsDeleted(tx, condition, [entityType, platform], at, source);
  return deleteRecords(tx, condition, [entityType, platform]);
}

const stored = 'r.customer_id = $1 and r.entity_type = $2 and r.platform = $3';
const isSeen = `exists (
  select 1 from (
    select s.platform_id from staged_records s where s.customer_id = $1 and s.entity_type = $2 and s.run_id = $4
    union all
    select unnest(u.platform_ids) from staged_sightings u
    where u.customer_id = $1 and u.entity_type = $2 and u.run_id = $4
  ) seen where seen.platform_id = r.platform_id
)`;
const isMissing = `not ${isSeen} and r.accepted is null and (r.written_at is null or r.written_at < $5::timestamptz)`;

const countMissing = `
  select count(*)::int as total, count(*) filter (where missing)::int as missing
  from (select ${isMissing} as missing from platform_records r where ${stored}) counted`;

const listMissing = `
  select r.platform_id, r.variant, r.payload::text as payload from platform_records r where ${stored} and ${isMissing}
  order by r.missed desc, r.native_order, r.platform_id limit $6`;

const resetSeen: RecordUpdate = {
  set: ['missed = 0', 'missing_since = null'],
  where: `${stored} and r.missed > 0 and (r.platform_id = any ($5::text[]) or ${isSeen})`,
};

// A lookup that finds no record counts like a second reading.
const countOnce: RecordUpdate = {
  set: [
    `missed = case when r.platform_id = any ($7::text[]) then greatest(r.missed + 1, ${READINGS_WITHOUT}) else r.missed + 1 end`,
    'missing_since = coalesce(r.missing_since, $5::timestamptz)',
  ],
  where: `${stored} and ${isMissing} and r.platform_id <> all ($6::text[])`,
};

const countStored = `select count(*)::int as total from platform_records r where ${stored}`;

// A write of the service resets the count, so a counted record was not written. The last condition matches the index.
const isMarked = `${stored} and r.missed >= ${READINGS_WITHOUT} and r.missed > 0`;
const countMarked = `select count(*)::int as going from platform_records r where ${isMarked}`;
