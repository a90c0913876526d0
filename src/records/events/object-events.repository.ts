import { storedEntityTypes } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeCause } from '../changes/change-cause';
import { noteSelectedEvents } from './events.repository';

const types = `array[${storedEntityTypes.map((type) => `'${type}'`).join(', ')}]`;

/**
 * SQL for the objects that a change has written, each with the type of its event. `$2` is the time of the change and `$3`
 * its ID. Every row of a record that the change wrote has both; values beside the records have only the time. An object is written if one of its records, or a value beside its
 * records, is. If all records of an object came with the change, the object did not exist before: it is created, parted
 * from the object that had one of the records, or restored. If all records went, it was merged or deleted.
 */
const objectsOfChange = `
  with present as materialized (
    select r.canonical_id, r.entity_type, r.platform, r.platform_id from platform_records r
    where r.customer_id = $1 and r.since = $2::timestamptz and r.changed_by = $3::uuid
  ),
  ended as materialized (
    select v.canonical_id, v.entity_type, v.platform, v.platform_id from record_versions v
    where v.customer_id = $1 and v.until = $2::timestamptz and v.ended_by = $3::uuid
  ),
  touched as materialized (
    select w.canonical_id, w.entity_type, bool_or(w.is_present) as is_present, bool_or(w.is_ended) as is_ended
    from (
      select p.canonical_id, p.entity_type, true as is_present, false as is_ended from present p
      union all
      select e.canonical_id, e.entity_type, false, true from ended e
      union all
      select o.id, o.entity_type, false, false from canonical_objects o
      where o.customer_id = $1 and o.extra_since = $2::timestamptz
    ) w
    group by w.canonical_id, w.entity_type
  ),
  moved as materialized (
    select p.canonical_id, min(e.canonical_id) as left_id from present p
    join ended e on e.platform = p.platform and e.entity_type = p.entity_type and e.platform_id = p.platform_id
    where e.canonical_id <> p.canonical_id group by p.canonical_id
  ),
  judged as materialized (
    select t.canonical_id, t.entity_type, t.is_present, t.is_ended, m.left_id,
      exists (
        select from platform_records r where not (t.is_present and t.is_ended)
          and r.customer_id = $1 and r.canonical_id = t.canonical_id and r.since < $2::timestamptz
      ) as stands,
      exists (
        select from record_versions v where t.is_present and not t.is_ended
          and v.customer_id = $1 and v.canonical_id = t.canonical_id and v.until < $2::timestamptz
      ) as was_there,
      (
        select a.merged_into from canonical_aliases a where not t.is_present
          and a.customer_id = $1 and a.alias_id = t.canonical_id and a.since = $2::timestamptz
      ) as merged_into
    from touched t left join moved m on m.canonical_id = t.canonical_id
  ),
  told as (
    select j.canonical_id, j.entity_type, j.left_id, j.merged_into, case
      when j.is_present and j.is_ended or j.stands then 'object.changed'
      when j.is_present and j.left_id is not null then 'object.parted'
      when j.is_present and j.was_there then 'object.restored'
      when j.is_present then 'object.created'
      when j.merged_into is not null then 'object.merged'
      when j.is_ended then 'object.deleted'
      else 'object.changed' end as type
    from judged j
  )
  select $2::timestamptz, $3::uuid,
    row_number() over (order by array_position(${types}, o.entity_type::text), o.canonical_id)::integer,
    o.type, o.entity_type, o.canonical_id, (case
      when o.type = 'object.merged' then '{"into":"' || o.merged_into || '"}'
      when o.type = 'object.parted' then '{"from":"' || o.left_id || '"}' end)::json
  from told o`;

/**
 * Stores the events of a change's objects, at the latest with the next statement. The caller has written all records and
 * the versions that they replace. Changes of terms and of currencies change the values of objects without an event.
 */
export function noteObjectEvents(tx: CustomerTransaction, { at, id }: ChangeCause): void {
  noteSelectedEvents(tx, objectsOfChange, [at, id]);
}
