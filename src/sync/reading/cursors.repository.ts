import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import type { Checkpoint, ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Progress } from './checkpoints.repository';
import type { ClaimedRun } from '../run/run';

/**
 * The cursors of a connection that are valid for a run: those of its mode and of the settings that it reads with. A
 * reading of another company says nothing about this one.
 */
export async function readCursors(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
): Promise<ReadonlyMap<StoredEntityType, Checkpoint>> {
  const rows = await tx.query<{ scope: StoredEntityType; position: string }>(
    `select c.scope, c.position::text as position from sync_cursors c
     join sync_runs r on r.customer_id = $1 and r.id = $3
       and r.mode = c.mode and r.settings_changed_at is not distinct from c.settings_changed_at
     where c.customer_id = $1 and c.platform = $2`,
    [platform, id],
  );
  return new Map(rows.map(({ scope, position }) => [scope, parseJsonText(position)]));
}

/** The cursors from which the next run of a connection would read with its present settings. */
export async function currentCursors(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
): Promise<ReadonlyMap<StoredEntityType, Checkpoint>> {
  const rows = await tx.query<{ scope: StoredEntityType; position: string }>(
    `select c.scope, c.position::text as position from sync_cursors c
     left join live_connections l on l.customer_id = c.customer_id and l.platform = c.platform
     where c.customer_id = $1 and c.platform = $2 and c.settings_changed_at is not distinct from l.changed_at
       and c.mode = case when l.platform is null then 'sandbox' else 'live' end`,
    [platform],
  );
  return new Map(rows.map(({ scope, position }) => [scope, parseJsonText(position)]));
}

/**
 * Stores where the next run starts to read changes: the cursor of each scope that was read to its end, or up to gaps
 * that the platform's connector names. Any other scope keeps the cursor at which its reading began. So does a scope
 * with a record that was read and could not be stored yet, because it must be read again.
 *
 * @param unsettled scopes with such records
 */
export async function saveCursors(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
  seen: ReadonlyMap<StoredEntityType, Progress>,
  unsettled: ReadonlySet<StoredEntityType>,
): Promise<void> {
  await tx.query('delete from sync_cursors where customer_id = $1 and platform = $2', [platform]);
  const next = [...seen].flatMap(([scope, progress]) => {
    const reached = !unsettled.has(scope) && (progress.complete === true || progress.gaps.length > 0);
    const cursor = reached ? progress.cursor : progress.since;
    return cursor === null ? [] : [{ scope, position: stringifyJson(cursor) }];
  });
  if (next.length === 0) return;
  await tx.query(
    `insert into sync_cursors (customer_id, platform, scope, mode, settings_changed_at, position)
     select $1, $2, next.scope, r.mode, r.settings_changed_at, next.position::json
     from sync_runs r, unnest($4::text[], $5::text[]) as next (scope, position)
     where r.customer_id = $1 and r.id = $3`,
    [platform, id, next.map(({ scope }) => scope), next.map(({ position }) => position)],
  );
}

/**
 * Scopes of a run with a record that was read and not stored: a write of this service is open or was recorded after the
 * reading began, and the platform returned another value. The result of that write need not be the platform's value.
 */
export async function unsettledScopes(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
  readingSince: string,
): Promise<ReadonlySet<StoredEntityType>> {
  const rows = await tx.query<{ entity_type: StoredEntityType }>(
    `select distinct r.entity_type from platform_records r
     join staged_records s on s.entity_type = r.entity_type and s.platform_id = r.platform_id
     where r.customer_id = $1 and r.platform = $2 and s.customer_id = $1 and s.run_id = $3
       and (r.accepted is not null or r.written_at >= $4::timestamptz)
       and s.payload::text <> r.payload::text and s.payload::text is distinct from r.accepted::text`,
    [platform, id, readingSince],
  );
  return new Set(rows.map(({ entity_type }) => entity_type));
}

/** Deletes the cursors of a connection when the records that were read of it are removed. */
export async function forgetCursors(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
  await tx.query('delete from sync_cursors where customer_id = $1 and platform = $2', [platform]);
}
