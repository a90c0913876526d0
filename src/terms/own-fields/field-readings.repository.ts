import { isEntityType, isStoredEntityType, ownFieldName, type EntityType } from '@app/mapper';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { noteEventsAt } from '../../records/events/events.repository';

/** An own field whose definition has changed. */
export interface ReadField {
  readonly entityType: EntityType;
  readonly name: string;
}

/** A customer's own field, for which stored records are to be read. */
export interface DueReading extends ReadField {
  readonly customerId: string;
}

/** How far the reading of stored records has come. */
export interface FieldReading extends ReadField {
  /** Whether the field was removed; its definition is gone. */
  readonly isRemoved: boolean;
  /** Stored records of the type when the reading began. */
  readonly total: number;
  readonly read: number;
  /** Records that have a value in the field. */
  readonly filled: number;
  /** Records whose value does not fit the field. It is left out of the object. */
  readonly unreadable: number;
  /** Whether all records were read, all comparisons follow, and the feed of events tells so. */
  readonly isReady: boolean;
}

/** The last record that was read; an empty platform before the first one. */
export interface ReadingPosition {
  readonly platform: string;
  readonly platformId: string;
}

/** A reading that is locked for its next step. */
export interface LockedReading extends ReadingPosition {
  /** Whether all records were read, and only comparisons may be missing. */
  readonly isDone: boolean;
}

/** Begins to read what is stored, again from the start. @param since the time of the definition or removal */
export async function beginReading(
  tx: CustomerTransaction,
  { entityType, name }: ReadField,
  { isRemoved, since }: { readonly isRemoved: boolean; readonly since: string },
): Promise<void> {
  await tx.query('delete from field_readings where customer_id = $1 and is_removed and ready_since = since');
  await tx.query(
    `insert into field_readings (customer_id, entity_type, name, is_removed, since, total)
     select $1, $2, $3, $4, $5, n.total
     from (select count(*)::int as total from platform_records r where r.customer_id = $1 and r.entity_type = $2) n
     on conflict (customer_id, entity_type, name) do update
     set is_removed = excluded.is_removed, since = excluded.since, platform = '', platform_id = '', total = excluded.total,
       read = 0, filled = 0, unreadable = 0, done_at = null`,
    [entityType, name, isRemoved, since],
  );
}

/** SQL: the feed has not told that the field is ready, as it is defined now. */
const isUnready = 'f.ready_since is distinct from f.since';

/**
 * SQL condition: the comparisons do not include the definition, or changes from before it. It is scalar, so that no
 * table is scanned for it.
 */
const isBehind = `(
  select count(*) from due_comparisons d where d.customer_id = f.customer_id and d.since <= f.since) > 0`;

/** The readings of the customer, by type and name. */
export async function listReadings(tx: CustomerTransaction): Promise<readonly FieldReading[]> {
  const rows = await tx.query<Omit<FieldReading, 'entityType'> & { readonly entityType: string }>(
    `select f.entity_type as "entityType", f.name, f.is_removed as "isRemoved", f.total, f.read, f.filled, f.unreadable,
       not (${isUnready}) as "isReady"
     from field_readings f where f.customer_id = $1 order by f.entity_type, f.name`,
  );
  return rows.flatMap(({ entityType, ...row }) => (isEntityType(entityType) ? [{ ...row, entityType }] : []));
}

/** Some of the readings that have a next step now. Reads across customers, and only readings that are not ready. */
export async function dueReadings(store: Store, limit: number): Promise<readonly DueReading[]> {
  const rows = await store.query<{ customerId: string; entityType: string; name: string }>(
    `select f.customer_id as "customerId", f.entity_type as "entityType", f.name from field_readings f
     where ${isUnready} and (f.done_at is null or not ${isBehind})
     order by f.customer_id limit $1`,
    [limit],
  );
  return rows.flatMap(({ entityType, ...row }) => (isEntityType(entityType) ? [{ ...row, entityType }] : []));
}

/** Locks a reading for its next step; undefined if it is ready, or another instance reads for it. */
export async function lockReading(
  tx: CustomerTransaction,
  { entityType, name }: ReadField,
): Promise<LockedReading | undefined> {
  const [row] = await tx.query<LockedReading>(
    `select f.platform, f.platform_id as "platformId", f.done_at is not null as "isDone" from field_readings f
     where f.customer_id = $1 and f.entity_type = $2 and f.name = $3 and ${isUnready} for update skip locked`,
    [entityType, name],
  );
  return row;
}

/** Counts a page that was read. @param position undefined behind the last record */
export async function savePage(
  tx: CustomerTransaction,
  { entityType, name }: ReadField,
  { read, filled, unreadable }: Pick<FieldReading, 'read' | 'filled' | 'unreadable'>,
  position: ReadingPosition | undefined,
): Promise<void> {
  await tx.query(
    `update field_readings set read = read + $4, total = greatest(total, read + $4), filled = filled + $5,
       unreadable = unreadable + $6${position === undefined ? ', done_at = now()' : ', platform = $7, platform_id = $8'}
     where customer_id = $1 and entity_type = $2 and name = $3`,
    [
      ...[entityType, name, read, filled, unreadable],
      ...(position === undefined ? [] : [position.platform, position.platformId]),
    ],
  );
}

type ReadyField = Pick<FieldReading, 'isRemoved' | 'total' | 'read' | 'filled' | 'unreadable'> & {
  readonly since: Date;
};

/**
 * Stores that a field is ready, with its event, if no comparison waits for its definition. The caller has locked a
 * reading that is done. Comparisons that fall behind later do not change this.
 */
export async function noteReady(tx: CustomerTransaction, { entityType, name }: ReadField): Promise<void> {
  const [ready] = await tx.query<ReadyField>(
    `update field_readings f set ready_since = f.since
     where f.customer_id = $1 and f.entity_type = $2 and f.name = $3 and not ${isBehind}
     returning f.is_removed as "isRemoved", f.since, f.total, f.read, f.filled, f.unreadable`,
    [entityType, name],
  );
  if (ready === undefined) return;
  const { isRemoved, since, ...records } = ready;
  const data = {
    entity_type: entityType,
    name,
    field: ownFieldName(name),
    removed: isRemoved,
    since: since.toISOString(),
    records,
  };
  noteEventsAt(tx, await databaseTime(tx.store), [
    { type: 'field.ready', entityType: isStoredEntityType(entityType) ? entityType : null, data },
  ]);
}
