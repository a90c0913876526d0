import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import type { Checkpoint } from '../connectors/connector';
import type { Store } from '../database/store';
import type { ClaimedRun } from './run';

/** How far a scope has been read, and what was seen on the way. */
export interface Progress {
  readonly position: Checkpoint | null;
  /** Whether the whole scope was read; null while it is being read. */
  readonly complete: boolean | null;
  /** Records read so far. */
  readonly records: number;
  /** Records without an ID of their own, which cannot be stored. */
  readonly withoutId: number;
  /** Fields that do not fit and stay out of the canonical objects; the raw records keep them. */
  readonly unreadableFields: number;
}

/** Nothing was read yet. */
export const beginning: Progress = {
  position: null,
  complete: null,
  records: 0,
  withoutId: 0,
  unreadableFields: 0,
};

/** Where a run has come to, by type. */
export async function readCheckpoints(
  store: Store,
  { connection, id }: ClaimedRun,
): Promise<Map<StoredEntityType, Progress>> {
  const rows = await store.query<{
    scope: StoredEntityType;
    position: string | null;
    complete: boolean | null;
    records: number;
    without_id: number;
    unreadable_fields: number;
  }>(
    `select scope, position::text as position, complete, records, without_id, unreadable_fields from sync_checkpoints
     where customer_id = $1 and run_id = $2`,
    [connection.customerId, id],
  );
  return new Map(
    rows.map((row) => [
      row.scope,
      {
        position: row.position === null ? null : parseJsonText(row.position),
        complete: row.complete,
        records: row.records,
        withoutId: row.without_id,
        unreadableFields: row.unreadable_fields,
      },
    ]),
  );
}

/** Stores how far a scope has been read. */
export async function saveCheckpoint(
  store: Store,
  { connection, id }: ClaimedRun,
  entityType: StoredEntityType,
  { position, complete, records, withoutId, unreadableFields }: Progress,
): Promise<void> {
  await store.query(
    `insert into sync_checkpoints (customer_id, run_id, scope, position, complete, records, without_id, unreadable_fields)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (customer_id, run_id, scope) do update set position = excluded.position, complete = excluded.complete,
       records = excluded.records, without_id = excluded.without_id, unreadable_fields = excluded.unreadable_fields`,
    [
      connection.customerId,
      id,
      entityType,
      position === null ? null : stringifyJson(position),
      complete,
      records,
      withoutId,
      unreadableFields,
    ],
  );
}
