import { platformNames } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { recordsAt } from '../../../records/changes/record-versions.repository';

/** The times between which changes are looked at: after the first, not after the second. */
type Window = readonly [after: string, until: string];

/** SQL for objects, by what follows `with` and what follows that. */
interface TouchedObjects {
  readonly with: string;
  /** One column, `id`. */
  readonly ids: string;
}

/** SQL for the objects that changes of a window have touched, by what touched them. */
interface TouchedBy {
  readonly own: TouchedObjects;
  readonly namesakes: TouchedObjects;
  readonly decided: TouchedObjects;
  readonly heirs: TouchedObjects;
  /** Whether there are heirs. */
  readonly anyParent: string;
}

/**
 * @param records SQL of the relation of records at the end of the window, `$3`
 * @param extras SQL for the objects whose values beside their records changed in the window
 */
function touchedIn(records: string, extras: string): TouchedBy {
  // Rows that were inserted or replaced in the window. A row that was inserted and replaced in it shows as both.
  // `before` tells whether the row existed when the window began.
  const changed = `
  changed as (
    select true as present, false as before, r.platform, r.entity_type, r.platform_id, r.canonical_id, r.business_key, r.currency, r.number,
      r.project_canonical_id, r.contract_canonical_id, r.customer_canonical_id
    from ${records} r
    where r.customer_id = $1 and r.since > $2::timestamptz and r.since <= $3::timestamptz
    union all
    select false, v.since <= $2::timestamptz, v.platform, v.entity_type, v.platform_id, v.canonical_id, v.business_key, v.currency, v.number,
      v.project_canonical_id, v.contract_canonical_id, v.customer_canonical_id
    from record_versions v
    where v.customer_id = $1 and v.until > $2::timestamptz and v.until <= $3::timestamptz
  )`;
  // Changed parents from which records inherit something. A new parent is not among them, because the records that refer
  // to it change with it. A parent that was deleted and is restored is among them: the records that refer to it kept the
  // reference and do not change. Retention may have removed the versions of a deleted parent; then only a record on
  // another platform shows that its object existed before.
  const isParent = `entity_type in ('project', 'customer', 'contract', 'invoice')`;
  const parents = `
  parents as (
    select distinct c.platform, c.canonical_id from changed c
    join (
      select platform, entity_type, platform_id from changed
      where ${isParent}
      group by platform, entity_type, platform_id
      having not bool_or(present)
        or count(distinct (canonical_id, currency, number, project_canonical_id, contract_canonical_id, customer_canonical_id)) > 1
    ) p on p.platform = c.platform and p.entity_type = c.entity_type and p.platform_id = c.platform_id
    union
    select c.platform, c.canonical_id from changed c
    where c.present and c.${isParent}
      and not exists (
        select from changed b where b.before and b.platform = c.platform and b.canonical_id = c.canonical_id)
      and (
        exists (
          select from record_versions v where v.customer_id = $1 and v.canonical_id = c.canonical_id
            and v.platform = c.platform and v.until <= $2::timestamptz)
        or exists (
          select from ${records} o where o.customer_id = $1 and o.canonical_id = c.canonical_id and o.platform <> c.platform)
        or exists (select from changed o where o.before and o.canonical_id = c.canonical_id))
  )`;
  const children = (of: string): string => `
    select n.platform, n.canonical_id, n.entity_type from ${records} n
    cross join lateral (
      values (n.project_canonical_id), (n.contract_canonical_id), (n.invoice_canonical_id),
        (case when n.entity_type = 'payment' then n.customer_canonical_id end)
    ) named (id)
    join ${of} parent on parent.platform = n.platform and parent.canonical_id = named.id
    where n.customer_id = $1`;
  return {
    own: { with: changed, ids: `select canonical_id as id from changed union ${extras}` },
    // A record that was added or removed, or that changed its key or its object, has become a candidate or is no longer
    // one. The same holds for the records of its object, because their links may have changed.
    namesakes: {
      with: `${changed},
  moved as (
    select platform, entity_type, platform_id from changed group by platform, entity_type, platform_id
    having not (bool_or(present) and bool_or(before)) or count(distinct (business_key, canonical_id)) > 1
  ),
  objects as (
    select distinct c.canonical_id from changed c
    join moved m on m.platform = c.platform and m.entity_type = c.entity_type and m.platform_id = c.platform_id
  ),
  keys as (
    select c.entity_type, c.business_key from changed c
    join moved m on m.platform = c.platform and m.entity_type = c.entity_type and m.platform_id = c.platform_id
    where c.business_key is not null
    union
    select r.entity_type, r.business_key from ${records} r join objects o on o.canonical_id = r.canonical_id
    where r.customer_id = $1 and r.business_key is not null
  )`,
      ids: `
  select distinct r.canonical_id as id from keys k
  join ${records} r on r.customer_id = $1 and r.platform = any ($4::text[]) and r.entity_type = k.entity_type
    and r.business_key = k.business_key`,
    },
    // Two steps: an invoice inherits from its contract's project, a payment belongs to its invoice's.
    heirs: {
      with: `${changed}, ${parents},
  nearest as (${children('parents')}),
  middle as (select distinct platform, canonical_id from nearest where entity_type in ('contract', 'invoice')),
  next as (${children('middle')})`,
      ids: `select canonical_id as id from nearest union select canonical_id from next`,
    },
    // A record that people rule out is no longer a candidate, and becomes one again when they withdraw it. Both objects
    // are marked. The candidates of other objects do not change.
    decided: {
      with: changed,
      ids: `
  select distinct r.canonical_id as id
  from reconciliation_decisions d
  cross join lateral (
    values (d.platform, d.platform_id), (d.other_platform, d.other_platform_id)
  ) about (platform, platform_id)
  join ${records} r on r.customer_id = $1 and r.platform = about.platform and r.entity_type = d.entity_type
    and r.platform_id = about.platform_id
  where d.customer_id = $1 and d.decision = 'not_same' and (
    (d.decided_at > $2::timestamptz and d.decided_at <= $3::timestamptz)
    or (d.withdrawn_at > $2::timestamptz and d.withdrawn_at <= $3::timestamptz)
  )`,
    },
    anyParent: `with ${changed}, ${parents} select 1 from parents limit 1`,
  };
}

// An object has only the time of the last change of its values, so the present query has no upper bound: a change after
// the window may hide one in it. Versions tell of the earlier changes, but no index finds them by time, so only the query
// for a past time reads them.
const extrasSince = `
  select o.id from canonical_objects o where o.customer_id = $1 and o.extra_since > $2::timestamptz`;
const extrasThen = `${extrasSince} and o.extra_since <= $3::timestamptz
  union
  select e.canonical_id from extra_versions e
  where e.customer_id = $1 and e.until > $2::timestamptz and e.until <= $3::timestamptz`;

const now = touchedIn('platform_records', extrasSince);
const then = touchedIn(recordsAt('$3'), extrasThen);

const mark = (found: TouchedObjects): string => `
  with ${found.with}
  insert into stale_comparisons (customer_id, object_id)
  select $1::uuid, found.id from (${found.ids}) found
  on conflict do nothing`;

/**
 * Marks the objects whose comparisons may have changed: because of changes of their own records, of records with the
 * same key, or of records from which they inherit, because of their values that no record holds, or because of decisions
 * about their records. It may mark too many objects, but never too few.
 *
 * @param window ends at a time before which every change has been committed
 */
export async function markStale(tx: CustomerTransaction, window: Window): Promise<void> {
  await tx.query(mark(now.own), window);
  await tx.query(mark(now.namesakes), [...window, platformNames]);
  await tx.query(mark(now.decided), window);
  const [any] = await tx.query(now.anyParent, window);
  if (any !== undefined) await tx.query(mark(now.heirs), window);
}

/**
 * The objects that changes between two times have touched, as {@link markStale} finds them, in the order of their IDs;
 * undefined if they are more than wanted. Not all of them are still there.
 *
 * @param window in the past, so that the result never changes
 */
export async function objectsTouched(
  tx: CustomerTransaction,
  window: Window,
  most: number,
): Promise<readonly string[] | undefined> {
  const ids = new Set<string>();
  const [anyParent] = await tx.query(then.anyParent, window);
  const inherited = anyParent === undefined ? [] : ([[then.heirs]] as const);
  for (const [found, ...more] of [
    [then.own],
    [then.namesakes, platformNames],
    [then.decided],
    ...inherited,
  ] as const) {
    const parameters = [...window, ...more, most + 1];
    const sql = `with ${found.with} select id from (${found.ids}) found limit $${parameters.length + 1}`;
    for (const { id } of await tx.query<{ id: string }>(sql, parameters)) ids.add(id);
    if (ids.size > most) return undefined;
  }
  return [...ids].toSorted((one, other) => (one < other ? -1 : 1));
}

/** Marked objects; only some of them if there are more than the limit. */
export async function staleObjects(tx: CustomerTransaction, limit: number): Promise<readonly string[]> {
  const rows = await tx.query<{ object_id: string }>(
    'select object_id from stale_comparisons where customer_id = $1 order by object_id limit $2',
    [limit],
  );
  return rows.map(({ object_id: id }) => id);
}

/** Takes the marks off objects; off all when none are named. */
export async function unmarkStale(tx: CustomerTransaction, ids?: readonly string[]): Promise<void> {
  await tx.query(
    `delete from stale_comparisons where customer_id = $1 ${ids === undefined ? '' : 'and object_id = any($2)'}`,
    ids === undefined ? [] : [ids],
  );
}
