import { inPrecedence, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { partExtra } from '../../../records/objects/canonical-objects.repository';
import { moveDeletedRecords } from '../../../records/platform-records/deleted-records.repository';
import { moved, moveReferences, parametersOf, type Move } from '../../objects/move-records';
import type { ObjectChange } from '../../objects/object-change';
import { partAliases, partObjects } from '../../objects/part-objects';
import { nameOf, type LinkConstraints, type RecordName } from '../../rule/link-constraints';
import { loadConstraints } from '../../rule/link-constraints.repository';
import type { StoredDecision } from '../../rule/stored-decision';
import { createdAmong, objectsOf } from './matched-records.repository';

/** Moves the deleted records of the clusters of moved records along with them. */
export async function moveAbsentRecords(
  tx: CustomerTransaction,
  change: ObjectChange,
  moves: readonly Move[],
  constraints: LinkConstraints,
): Promise<void> {
  const along = moves.flatMap((move) =>
    constraints.clusterOf(move).records.map((record) => ({ ...record, from: move.from, to: move.to })),
  );
  await moveAbsent(tx, change, along);
}

/**
 * Gives deleted records another object to return to, with the values that their own objects had brought, and to the records that
 * refer to them. Others are left out. The aliases of their former object have not followed yet.
 */
async function moveAbsent(
  tx: CustomerTransaction,
  change: ObjectChange,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  const { entityType, cause } = change;
  const parameters = parametersOf(entityType, moves);
  const rows = await tx.query<{ platform: RecordName['platform']; platform_id: string }>(
    `select r.platform, r.platform_id from deleted_records r, ${moved} where ${isMoved}`,
    parameters,
  );
  if (rows.length === 0) return;
  const gone = new Set(rows.map(({ platform, platform_id: platformId }) => nameOf({ platform, platformId })));
  await moveDeletedRecords(
    tx,
    { placement: 'canonical_id', moved, condition: isMoved },
    parameters,
    cause.at,
  );
  const going = moves.filter((move) => gone.has(nameOf(move)));
  await partExtra(tx, entityType, going, cause);
  await moveReferences(tx, change, going);
}

const isMoved = `r.customer_id = $1 and r.entity_type = $2 and r.platform = moved.platform
  and r.platform_id = moved.platform_id and r.canonical_id = moved.goes`;

/** A deleted record that leaves its object, with the deleted records that decisions link to it. */
export interface AbsentParting {
  readonly from: string;
  readonly records: readonly RecordName[];
  /** The object of a present record of theirs; undefined for one of their own. */
  readonly to: string | undefined;
}

/**
 * The deleted record that only a withdrawn decision linked to its present object. When the record returns, a run matches it
 * again. If this service created one of the two records from the other, they stay one, as they do where both are there.
 *
 * @param records of the decision
 * @param areElsewhere whether present records with the native IDs of deleted ones are those of other sources
 * @returns undefined if none is deleted, or if it stays
 */
export async function absentParting(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: StoredDecision['records'],
  areElsewhere: boolean,
): Promise<AbsentParting | undefined> {
  const found = await tx.query<{
    platform: RecordName['platform'];
    platform_id: string;
    canonical_id: string;
    gone: boolean;
  }>(
    `select all_of.platform, all_of.platform_id, all_of.canonical_id, all_of.gone
     from unnest($3::text[], $4::text[]) as asked (platform, platform_id)
     join (
       select r.platform, r.platform_id, r.canonical_id, false as gone from platform_records r
       where r.customer_id = $1 and r.entity_type = $2
       union all
       select d.platform, d.platform_id, d.canonical_id, true from deleted_records d
       where d.customer_id = $1 and d.entity_type = $2
     ) all_of on all_of.platform = asked.platform and all_of.platform_id = asked.platform_id`,
    [entityType, records.map(({ platform }) => platform), records.map(({ platformId }) => platformId)],
  );
  const deleted = found.filter((row) => row.gone);
  const isAway = (row: (typeof found)[number]) =>
    deleted.some((one) => one.platform === row.platform && one.platform_id === row.platform_id);
  const rows = areElsewhere ? found.filter((row) => row.gone || !isAway(row)) : found;
  const gone = inPrecedence(rows).findLast((row) => row.gone);
  if (gone === undefined || rows.length < 2 || rows.some((row) => row.canonical_id !== gone.canonical_id))
    return undefined;
  const { canonical_id: from, platform, platform_id: platformId } = gone;
  const created = await createdAmong(tx, entityType, [from]);
  if (records.some((record) => created.has(nameOf(record)))) return undefined;
  const constraints = await loadConstraints(tx, entityType, [{ platform, platformId }]);
  const cluster = constraints.clusterOf({ platform, platformId });
  const present = await objectsOf(tx, entityType, cluster.records);
  const [to] = present.values();
  return to === from ? undefined : { from, records: cluster.records, to };
}

/** Gives deleted records the object that they come to. @returns this object */
export async function partAbsentRecords(
  tx: CustomerTransaction,
  change: ObjectChange,
  { from, records, to }: AbsentParting,
): Promise<string> {
  const leaving = records.map(({ platform, platformId }) => ({ platform, platformId, from }));
  const { targets, aliases } = await partObjects(tx, change, [{ records: leaving, to }]);
  const [comes = from] = targets;
  await moveAbsent(
    tx,
    change,
    leaving.map((record) => ({ ...record, to: comes })),
  );
  await partAliases(tx, change, aliases);
  return comes;
}
