import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { canonicalId } from '@app/mapper';
import type { Page } from '../connectors/connector';
import { incomingColumns, readIncoming, type IncomingRecord } from '../records/incoming-record';
import { copyLine } from './copy-text';
import type { ClaimedRun } from './run';

/** Records are read for this long at a time, in milliseconds; then others have their turn. */
const SLICE_MS = 10;

/** A page, ready to be staged. */
export interface ReadPage {
  /** Lines of COPY. */
  readonly lines: readonly string[];
  readonly withoutId: number;
  readonly unreadableFields: number;
}

/** The columns that COPY fills, in the order of a line. */
export const copiedColumns = ['customer_id', 'run_id', 'seq', ...incomingColumns, 'modified_at', 'own_id'];

/**
 * Reads what the records of a page are stored and matched by. Gives way between slices: a page may be large, and a
 * record costly.
 *
 * @param from number of the first record among those of its type
 */
export async function readPage(
  run: ClaimedRun,
  currency: string,
  page: Page,
  from: number,
): Promise<ReadPage> {
  const { customerId, platform } = run.connection;
  const lines: string[] = [];
  let withoutId = 0;
  let unreadableFields = 0;
  let sliceStarted = performance.now();
  for (const [place, source] of page.records.entries()) {
    const read = readIncoming(platform, currency, source);
    unreadableFields += read.unreadableFields;
    if (read.record === undefined) withoutId += 1;
    else {
      const { record } = read;
      lines.push(
        copyLine([
          customerId,
          run.id,
          String(from + place),
          ...incomingColumns.map((column) => record[column]),
          record.modified_at,
          ownIdOf(run, source.entityType, record),
        ]),
      );
    }
    if (performance.now() - sliceStarted < SLICE_MS) continue;
    await turnOfTheLoop();
    sliceStarted = performance.now();
  }
  return { lines, withoutId, unreadableFields };
}

function ownIdOf(
  { connection: { customerId, platform } }: ClaimedRun,
  entityType: Page['records'][number]['entityType'],
  { business_key: key, platform_id: nativeId }: IncomingRecord,
): string {
  return canonicalId(
    customerId,
    entityType,
    key === null ? { kind: 'native', platform, nativeId } : { kind: 'key', key },
  );
}
