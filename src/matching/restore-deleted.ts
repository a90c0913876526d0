import { keyRules, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import {
  deleteDeletedRecords,
  hasDeletedRecords,
} from '../records/platform-records/deleted-records.repository';
import { insertSelectedRecords } from '../records/platform-records/platform-records.repository';
import {
  contentColumns,
  referenceColumns,
  type ReferenceField,
} from '../records/platform-records/record-columns';
import { parametersOf, staged, type MatchingRound } from './matching-round';
import { decidedClusters } from './standing-decisions.repository';

/**
 * Brings back records that were marked as deleted and that their platform has again: under the object that they had,
 * unless it has another record of the platform by now, decisions speak against it, or its other records have another
 * parent by now, which may have been parted from this one's meanwhile. Then the record is a new one, and matched as such.
 * What they refer to is followed anew.
 *
 * @returns how many came back to their objects
 */
export async function restoreDeleted(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, platform, cause } = round;
  if (!(await hasDeletedRecords(tx, entityType, platform))) return 0;
  const own = parametersOf(round);
  const selection = restore(entityType, round.standing === undefined ? undefined : decidedOtherwise);
  const returned = await insertSelectedRecords(tx, columns, selection, [...own, cause.at, cause.id]);
  await deleteDeletedRecords(tx, `${ofRound} and ${isRead}`, own);
  return returned;
}

const ofRound = 'd.customer_id = $1 and d.entity_type = $2 and d.platform = $3';
const isRead = `exists (select 1 from staged_records s where ${staged('s')} and s.platform_id = d.platform_id)`;
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

// Two records of one object may both have gone, one after the other; it had the later one last. The relations belong to what
// is selected: in front of the insert, a cluster forgets that they are recursive.
function restore(
  entityType: StoredEntityType,
  decisions: { readonly expressions: string; readonly condition: string } | undefined,
): string {
  return `
  ${decisions === undefined ? '' : `with recursive ${decisions.expressions}`}
  select distinct on (d.canonical_id) d.customer_id, d.platform, d.entity_type, d.platform_id, d.canonical_id,
    ${contentColumns.map((column) => `d.${column}`).join(', ')}, $5::timestamptz, $6::uuid
  from deleted_records d
  where ${ofRound} and ${isRead} and not exists (
    select 1 from platform_records r
    where r.customer_id = $1 and r.platform = $3 and r.canonical_id = d.canonical_id
  ) ${underOtherParent(entityType)} ${decisions === undefined ? '' : `and not exists (${decisions.condition})`}
  order by d.canonical_id, d.deleted_at desc, d.platform_id`;
}

// Nothing of a pair of parents is looked at when they are parted while a record of theirs is gone.
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

// Decisions that were made while the record was gone: its object has a record that it is kept apart from, or one whose
// place on this platform a decision gives to another record.
const decidedOtherwise = {
  expressions: `${decidedClusters},
  refused as (
    select u.platform_id as refused, o.platform, o.platform_id
    from units u join ruled_out r on r.unit = u.unit join units o on o.unit = r.other
    where u.platform = $3
  ),
  given as (
    select u.platform_id as given_to, o.platform, o.platform_id
    from units u join units o on o.unit = u.unit and o.platform <> u.platform
    where u.platform = $3
  )`,
  condition: `
    select 1 from platform_records other
    left join refused on refused.platform = other.platform and refused.platform_id = other.platform_id
    left join given on given.platform = other.platform and given.platform_id = other.platform_id
    where other.customer_id = $1 and other.entity_type = $2 and other.canonical_id = d.canonical_id
      and (refused.refused = d.platform_id or given.given_to <> d.platform_id)`,
};
