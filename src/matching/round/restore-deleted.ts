import { keyRules, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import {
  deleteDeletedRecords,
  hasDeletedRecords,
} from '../../records/platform-records/deleted-records.repository';
import { keepVersions, versionBy } from '../../records/changes/record-versions.repository';
import {
  insertSelectedRecords,
  updateRecords,
} from '../../records/platform-records/platform-records.repository';
import {
  contentColumns,
  referenceColumns,
  type ReferenceField,
} from '../../records/platform-records/record-columns';
import { ofRound, parametersOf, staged, type MatchingRound } from './matching-round';
import { isRead, ofDeleted, returningToDecided, type ReturningRecord } from './returning-records.repository';
import { loadConstraints } from '../rule/link-constraints.repository';

/**
 * Restores records that were marked as deleted and that their platform has again. A record returns to its former object
 * unless
 *
 * - it was read from another source, where the same native ID is that of another record,
 * - the object has another record of the platform,
 * - decisions keep the record from it, or
 * - its other records have another parent, which a decision may have split from this record's parent meanwhile.
 *
 * Then the run matches the record as a new one. References of restored records are resolved again.
 *
 * @returns how many came back to their objects
 */
export async function restoreDeleted(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, platform, source, cause } = round;
  if (!(await hasDeletedRecords(tx, entityType, platform))) return 0;
  const own = parametersOf(round);
  const refused = round.decided ? await refusedByDecisions(tx, round) : [];
  const parameters = [...own, cause.at, cause.id, refused, source];
  const returned = await insertSelectedRecords(tx, columns, restore(entityType), parameters);
  if ((await deleteDeletedRecords(tx, `${ofDeleted} and ${isRead}`, own)) > 0)
    await releaseReferences(tx, round);
  return returned;
}

/**
 * Clears references to read records that name another object than that of the record. They are followed again as soon as the
 * record is stored: a record whose place another one has taken gets another object, and what refers to it follows.
 */
async function releaseReferences(tx: CustomerTransaction, round: MatchingRound): Promise<void> {
  const { entityType, cause } = round;
  const parameters = [...parametersOf(round), cause.at, cause.id];
  const releasing = { at: '$5', id: '$6' };
  for (const { ref, id, entityType: referred } of Object.values(referenceColumns)) {
    if (referred !== entityType) continue;
    const where = `r.customer_id = $1 and r.platform = $3 and r.${id} is not null and ${staged('s')}
      and r.${ref} = 'id:' || s.platform_id and not exists (
        select 1 from platform_records own where ${ofRound('own')} and own.platform_id = s.platform_id
          and own.canonical_id = r.${id}
      )`;
    keepVersions(tx, `, staged_records s where ${where}`, releasing, parameters);
    await updateRecords(
      tx,
      { set: [`${id} = null`, versionBy(releasing)], from: 'staged_records s', where },
      parameters,
    );
  }
}

/**
 * The native IDs of deleted records that decisions keep away from their former objects. Such an object has a record
 * that must stay apart from the deleted one, or a record whose cluster assigns its place on this platform to another
 * record.
 */
async function refusedByDecisions(tx: CustomerTransaction, round: MatchingRound): Promise<readonly string[]> {
  const returning = await returningToDecided(tx, round);
  const named = returning.flatMap(({ record, other }) => [record, other]);
  const constraints = await loadConstraints(tx, round.entityType, named);
  const isTaken = ({ record, other }: ReturningRecord) =>
    constraints
      .clusterOf(other)
      .records.some((one) => one.platform === record.platform && one.platformId !== record.platformId);
  return returning
    .filter((pair) => constraints.cannotLinkBetween(pair.record, pair.other) !== undefined || isTaken(pair))
    .map(({ record }) => record.platformId);
}

const columns = [
  'customer_id',
  'platform',
  'entity_type',
  'platform_id',
  'canonical_id',
  ...contentColumns,
  'since',
  'changed_by',
];

// Two records of one object may have been deleted one after the other. The record that was deleted last returns to the
// object. $7 are the records that decisions keep away from their objects. $8 is the source of the reading; if it is not known,
// no record returns.
function restore(entityType: StoredEntityType): string {
  return `
  select distinct on (d.canonical_id) d.customer_id, d.platform, d.entity_type, d.platform_id, d.canonical_id,
    ${contentColumns.map((column) => `d.${column}`).join(', ')}, $5::timestamptz, $6::uuid
  from deleted_records d
  where ${ofDeleted} and ${isRead} and d.platform_id <> all ($7::text[])
    and d.source = $8 and not exists (
    select 1 from platform_records r
    where r.customer_id = $1 and r.platform = $3 and r.canonical_id = d.canonical_id
  ) ${underOtherParent(entityType)}
  order by d.canonical_id, d.deleted_at desc, d.platform_id`;
}

// A decision that splits a pair of parents does not look at deleted records below them, so their return does.
function underOtherParent(entityType: StoredEntityType): string {
  const { parent } = keyRules[entityType];
  if (parent === undefined) return '';
  const { id, ref, entityType: parentType } = referenceColumns[parent as ReferenceField];
  const now = `coalesce((
      select p.canonical_id from platform_records p
      where p.customer_id = $1 and p.platform = $3 and p.entity_type = '${parentType}'
        and d.${ref} like 'id:%' and p.platform_id = substr(d.${ref}, 4)
    ), d.${id})`;
  return `and not exists (
    select 1 from platform_records other
    where other.customer_id = $1 and other.entity_type = $2 and other.canonical_id = d.canonical_id and other.${id} <> ${now}
  )`;
}
