import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { canonicalId } from '@app/mapper';
import type { RecordPage, SourceRecord } from '../../platforms/connector';
import {
  incomingColumns,
  readIncoming,
  seeRecord,
  storableId,
  type IncomingRecord,
  type Seen,
} from '../../records/platform-records/incoming-record';
import { CopyChunks } from '../../database/transaction/copy-chunks';
import { copyLine } from '../../database/transaction/copy-text';
import type { ClaimedRun } from '../run/run';

/** Duration of a slice in milliseconds. After each slice, other work gets its turn. */
const SLICE_MS = 10;

/** A page, ready to be staged. */
export interface ReadPage {
  /** Lines of COPY, many to a chunk. */
  readonly chunks: readonly Buffer[];
  /** Native IDs of records that equal the stored ones. They are not in the lines. */
  readonly unchanged: readonly string[];
  readonly withoutId: number;
  /** Invalid fields of the records in the lines. */
  readonly unreadableFields: number;
}

/**
 * Finds the records of a page that differ from the stored ones or are not stored.
 *
 * @param ids native IDs; null for a record without a valid ID
 */
export type FindChanged = (
  ids: readonly (string | null)[],
  digests: readonly string[],
) => Promise<ReadonlySet<number>>;

/** The columns that COPY fills, in the order of a line. */
export const copiedColumns = ['customer_id', 'run_id', 'seq', ...incomingColumns, 'own_id'];

/**
 * Reads the values by which the records of a page are stored and matched. A record that equals the stored one is
 * skipped, because its values are stored too. The function yields to other work between slices, because a page may be
 * large and a record costly.
 *
 * @param from number of the first record among those of its type
 * @param findChanged undefined if no record of the type is stored
 */
export async function readPage(
  run: ClaimedRun,
  currency: string,
  { records }: RecordPage,
  from: number,
  findChanged?: FindChanged,
): Promise<ReadPage> {
  const { customerId, platform } = run.connection;
  const pause = pausing();
  const compared = findChanged && (await compare(run, currency, records, findChanged, pause));
  const chunks = new CopyChunks();
  let withoutId = 0;
  let unreadableFields = 0;
  for (const [place, source] of records.entries()) {
    if (compared?.unchanged.has(place)) continue;
    const read = readIncoming(platform, currency, source, compared?.seen[place]);
    unreadableFields += read.unreadableFields;
    if (read.record === undefined) withoutId += 1;
    else {
      const { record } = read;
      const columns = incomingColumns.map((column) => record[column]);
      const ownId = ownIdOf(run, source.entityType, record);
      chunks.add(copyLine([customerId, run.id, String(from + place), ...columns, ownId]));
    }
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  const unchanged = [...(compared?.unchanged.values() ?? [])];
  return { chunks: chunks.end(), unchanged, withoutId, unreadableFields };
}

interface Compared {
  readonly seen: readonly Seen[];
  /** Native IDs by the indexes of the records. */
  readonly unchanged: ReadonlyMap<number, string>;
}

async function compare(
  { connection: { platform } }: ClaimedRun,
  currency: string,
  records: readonly SourceRecord[],
  findChanged: FindChanged,
  pause: () => Promise<void> | undefined,
): Promise<Compared> {
  const seen: Seen[] = [];
  const ids: (string | null)[] = [];
  for (const source of records) {
    seen.push(seeRecord(currency, source));
    ids.push(storableId(platform, source) ?? null);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  const changed = await findChanged(
    ids,
    seen.map(({ digest }) => digest),
  );
  const unchanged = new Map<number, string>();
  for (const [place, id] of ids.entries()) if (id !== null && !changed.has(place)) unchanged.set(place, id);
  return { seen, unchanged };
}

/** Yields to other work at the end of a slice; undefined during the slice. */
function pausing(): () => Promise<void> | undefined {
  let sliceStarted = performance.now();
  return () => {
    if (performance.now() - sliceStarted < SLICE_MS) return undefined;
    return turnOfTheLoop().then(() => void (sliceStarted = performance.now()));
  };
}

function ownIdOf(
  { connection: { customerId, platform } }: ClaimedRun,
  entityType: SourceRecord['entityType'],
  { business_key: key, platform_id: nativeId }: IncomingRecord,
): string {
  return canonicalId(
    customerId,
    entityType,
    key === null ? { kind: 'native', platform, nativeId } : { kind: 'key', key },
  );
}
