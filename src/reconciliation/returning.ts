import { affectedBy } from '../database/affected';
import type { Store } from '../database/store';
import { contentColumns } from '../records/record-columns';
import { parametersOf, staged, type Round } from './round';

/**
 * Brings back records that were marked as deleted and that their platform has again: under the object that they had,
 * unless it has another record of the platform by now. Then the record is a new one. What they refer to is followed anew.
 *
 * @returns how many came back to their objects
 */
export async function restoreReturned(store: Store, round: Round): Promise<number> {
  const { customerId, entityType, platform } = round;
  const [any] = await store.query(
    'select 1 from deleted_records where customer_id = $1 and entity_type = $2 and platform = $3 limit 1',
    [customerId, entityType, platform],
  );
  if (any === undefined) return 0;
  const own = parametersOf(round);
  const returned = await affectedBy(store, restore, [...own, round.cause.at, round.cause.id]);
  await store.query(forget, own);
  return returned;
}

const ofRound = 'd.customer_id = $1 and d.entity_type = $2 and d.platform = $3';
const isRead = `exists (select 1 from staged_records s where ${staged('s')} and s.platform_id = d.platform_id)`;
const contents = contentColumns.join(', ');

// Two records of one object may both have gone, one after the other; it had the later one last.
const restore = `
  insert into platform_records (customer_id, platform, entity_type, platform_id, canonical_id, ${contents}, since, changed_by)
  select distinct on (d.canonical_id) d.customer_id, d.platform, d.entity_type, d.platform_id, d.canonical_id,
    ${contentColumns.map((column) => `d.${column}`).join(', ')}, $5::timestamptz, $6::uuid
  from deleted_records d
  where ${ofRound} and ${isRead} and not exists (
    select 1 from platform_records r
    where r.customer_id = $1 and r.platform = $3 and r.canonical_id = d.canonical_id
  )
  order by d.canonical_id, d.deleted_at desc, d.platform_id`;

const forget = `delete from deleted_records d where ${ofRound} and ${isRead}`;
