import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import type { Checkpoint } from '../../platforms/connector';
import type { Store } from '../../database/transaction/store';
import type { ClaimedRun } from '../run/run';

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
  /** The cursor that the reading began from; null when it reads the whole scope. */
  readonly since: Checkpoint | null;
  /** From where the next reading may read changes only; null where that is not known. */
  readonly cursor: Checkpoint | null;
  /** Parts of the scope that could not be read, in words. */
  readonly gaps: readonly string[];
  /** Calls of the platform, and those that it refused because of its limits. */
  readonly calls: number;
  readonly limited: number;
}

/** Whether the scope was read whole and without a gap: only then does an absence mean anything. */
export function showsAbsences({ since, complete, gaps }: Progress): boolean {
  return since === null && complete === true && gaps.length === 0;
}

/** Nothing was read yet. */
export const beginning: Progress = {
  position: null,
  complete: null,
  records: 0,
  withoutId: 0,
  unreadableFields: 0,
  since: null,
  cursor: null,
  gaps: [],
  calls: 0,
  limited: 0,
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
    since: string | null;
    cursor: string | null;
    gaps: readonly string[];
    calls: number;
    limited: number;
  }>(
    `select scope, position::text as position, complete, records, without_id, unreadable_fields, since::text as since,
       cursor::text as cursor, gaps, calls, limited
     from sync_checkpoints where customer_id = $1 and run_id = $2`,
    [connection.customerId, id],
  );
  return new Map(
    rows.map((row) => [
      row.scope,
      {
        position: parsed(row.position),
        complete: row.complete,
        records: row.records,
        withoutId: row.without_id,
        unreadableFields: row.unreadable_fields,
        since: parsed(row.since),
        cursor: parsed(row.cursor),
        gaps: row.gaps,
        calls: row.calls,
        limited: row.limited,
      },
    ]),
  );
}

/** Stores how far a scope has been read. */
export async function saveCheckpoint(
  store: Store,
  { connection, id }: ClaimedRun,
  entityType: StoredEntityType,
  progress: Progress,
): Promise<void> {
  await store.query(upsert, [
    connection.customerId,
    id,
    entityType,
    textOf(progress.position),
    progress.complete,
    progress.records,
    progress.withoutId,
    progress.unreadableFields,
    textOf(progress.since),
    textOf(progress.cursor),
    JSON.stringify(progress.gaps),
    progress.calls,
    progress.limited,
  ]);
}

const columns = [
  'position',
  'complete',
  'records',
  'without_id',
  'unreadable_fields',
  'since',
  'cursor',
  'gaps',
  'calls',
  'limited',
];
const upsert = `
  insert into sync_checkpoints (customer_id, run_id, scope, ${columns.join(', ')})
  values ($1, $2, $3, ${columns.map((_, place) => `$${place + 4}`).join(', ')})
  on conflict (customer_id, run_id, scope)
  do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;

function parsed(text: string | null): Checkpoint | null {
  return text === null ? null : parseJsonText(text);
}

function textOf(value: Checkpoint | null): string | null {
  return value === null ? null : stringifyJson(value);
}
