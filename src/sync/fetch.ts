import { Readable } from 'node:stream';
import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { Connector, Page } from '../connectors/connector';
import type { UnitOfWork } from '../database/unit-of-work';
import { beginning, readCheckpoints, saveCheckpoint, type Progress } from './checkpoints';
import { copiedColumns, readPage, type ReadPage } from './page-reading';
import { noCounts, type ClaimedRun, type TypeCounts } from './run';
import { holdRun } from './runs.repository';

/** What reading a platform needs. */
export interface Fetch {
  readonly unitOfWork: UnitOfWork;
  readonly run: ClaimedRun;
  readonly connector: Connector;
  readonly currency: string;
  /** Milliseconds that each page renews the lease by. */
  readonly lease: number;
  readonly signal: AbortSignal;
  /** Called with the records read so far. */
  readonly progressed: (counts: TypeCounts) => void;
}

/**
 * Reads every scope from its checkpoint on and stages the records: one short transaction for each page stores the
 * page's records and the checkpoint behind them. While a page is stored, the next one is read.
 *
 * @returns what was seen, by type
 * @throws RunLost, and whatever the connector throws
 */
export async function fetchAll(fetch: Fetch): Promise<ReadonlyMap<StoredEntityType, Progress>> {
  const { customerId } = fetch.run.connection;
  const reached = await fetch.unitOfWork.run((store) => readCheckpoints(store, fetch.run), { customerId });
  for (const entityType of storedEntityTypes) {
    let progress = reached.get(entityType) ?? beginning;
    if (progress.complete !== null) continue;
    let storing: Promise<void> = Promise.resolve();
    const pages = fetch.connector.read(fetch.run.connection, { entityType }, progress.position, fetch.signal);
    for await (const page of endedProperly(pages)) {
      fetch.signal.throwIfAborted();
      const read = await readPage(fetch.run, fetch.currency, page, progress.records);
      await storing;
      progress = after(progress, page, read);
      reached.set(entityType, progress);
      const counts = countsOf(reached);
      fetch.progressed(counts);
      storing = storePage(fetch, entityType, read, progress, counts);
      // The next wait gets its failure. Until then Node must not take it for an unhandled rejection.
      storing.catch(() => undefined);
    }
    await storing;
  }
  return reached;
}

/** The pages of a reading. A reading that ends without a last page ends with an empty one, which leaves it incomplete. */
async function* endedProperly(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let ended = false;
  for await (const page of pages) {
    ended = page.next === null;
    yield page;
    if (ended) return;
  }
  if (!ended) yield { records: [], next: null };
}

function after(before: Progress, page: Page, read: ReadPage): Progress {
  return {
    position: page.next,
    complete: page.next === null ? page.complete === true : null,
    records: before.records + page.records.length,
    withoutId: before.withoutId + read.withoutId,
    unreadableFields: before.unreadableFields + read.unreadableFields,
  };
}

function countsOf(reached: ReadonlyMap<StoredEntityType, Progress>): TypeCounts {
  const counts = noCounts();
  for (const [entityType, { records }] of reached) counts[entityType] = records;
  return counts;
}

async function storePage(
  { unitOfWork, run, lease }: Fetch,
  entityType: StoredEntityType,
  { lines }: ReadPage,
  progress: Progress,
  counts: TypeCounts,
): Promise<void> {
  await unitOfWork.run(
    async (store) => {
      // What a crash of the server loses here is read again: everything but the lease is unlogged anyway.
      await store.query('set local synchronous_commit = off');
      await holdRun(store, run, lease, counts);
      if (lines.length > 0) {
        await store.copyIn(
          `copy staged_records (${copiedColumns.join(', ')}) from stdin`,
          Readable.from(lines),
        );
      }
      await saveCheckpoint(store, run, entityType, progress);
    },
    { patience: 'bulk', customerId: run.connection.customerId },
  );
}
