import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import type { Checkpoint } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import { RunLost, type ClaimedRun } from './run';

/** The progress of reading a scope, and the findings so far. */
export interface Progress {
  /** Where the next page begins, in the connector's form; null before the first page and after the last one. */
  readonly position: Checkpoint | null;
  /** Whether the whole scope was read; null while the reading is in progress. */
  readonly complete: boolean | null;
  /** Records read so far. */
  readonly records: number;
  /** Records without an ID. They cannot be stored. */
  readonly withoutId: number;
  /** Invalid fields, which are left out of the canonical objects. The raw records keep them. */
  readonly unreadableFields: number;
  /** The cursor at which the reading began; null for a reading of the whole scope. */
  readonly since: Checkpoint | null;
  /** The start of the next reading of changes; null if it is not known. */
  readonly cursor: Checkpoint | null;
  /** Parts of the scope that could not be read, in words. */
  readonly gaps: readonly string[];
  /** Calls to the platform. */
  readonly calls: number;
  /** Calls that the platform's rate limits rejected. */
  readonly limited: number;
}

/**
 * Whether the scope was read completely and without a gap. Only then does the absence of a record mean that it was
 * deleted.
 */
export function showsAbsences({ since, complete, gaps }: Progress): boolean {
  return since === null && complete === true && gaps.length === 0;
}

/** The progress before the first page. */
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

/** The progress of a run, by type. */
export async function readCheckpoints(
  tx: CustomerTransaction,
  { id }: ClaimedRun,
): Promise<Map<StoredEntityType, Progress>> {
  const rows = await tx.query<{
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
    [id],
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

/**
 * Stores the progress of a scope.
 *
 * @param isStored whether an earlier progress of the scope was stored
 * @throws RunLost if the stored progress is gone. Then a crash of the database server has emptied the unlogged tables,
 *   and the staged rows with them. The instance that takes the run over starts from the beginning
 */
export async function saveCheckpoint(
  tx: CustomerTransaction,
  { id }: ClaimedRun,
  entityType: StoredEntityType,
  progress: Progress,
  isStored: boolean,
): Promise<void> {
  const saved = await tx.execute(isStored ? update : insert, [
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
  if (saved === 0) throw new RunLost();
}

/**
 * Checks that the stored progress of a run is complete.
 *
 * @param scopes the number of scopes with progress
 * @throws RunLost if less is stored; see {@link saveCheckpoint}
 */
export async function checkCheckpoints(
  tx: CustomerTransaction,
  { id }: ClaimedRun,
  scopes: number,
): Promise<void> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from sync_checkpoints where customer_id = $1 and run_id = $2',
    [id],
  );
  if (row?.count !== scopes) throw new RunLost();
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

const values = columns.map((_, place) => `$${place + 4}`);
const insert = `
  insert into sync_checkpoints (customer_id, run_id, scope, ${columns.join(', ')}) values ($1, $2, $3, ${values.join(', ')})`;
const update = `
  update sync_checkpoints set ${columns.map((column, place) => `${column} = ${values[place]}`).join(', ')}
  where customer_id = $1 and run_id = $2 and scope = $3`;

/** Deletes the checkpoints of a run; those of all runs of the customer when none is named. */
export async function deleteCheckpoints(tx: CustomerTransaction, runId?: string): Promise<void> {
  const [which, parameters] = runId === undefined ? ['', []] : ['and run_id = $2', [runId]];
  await tx.query(`delete from sync_checkpoints where customer_id = $1 ${which}`, parameters);
}

function parsed(text: string | null): Checkpoint | null {
  return text === null ? null : parseJsonText(text);
}

function textOf(value: Checkpoint | null): string | null {
  return value === null ? null : stringifyJson(value);
}
