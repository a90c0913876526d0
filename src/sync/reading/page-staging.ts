import { Readable } from 'node:stream';
import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { copyStaged, insertSightings } from '../../matching/round/staged-records.repository';
import { saveCheckpoint, type Progress } from '../run/checkpoints.repository';
import { copiedColumns, type ReadPage } from './page-reading';
import type { ClaimedRun, TypeCounts } from '../run/run';

/** Bytes of waiting pages from which on the reading of further pages waits until pages are stored. */
const MOST_WAITING = 2 * 1024 ** 2;

/**
 * Renews the lease of the run, in a transaction that works for it.
 *
 * @param counts records read so far, if they are to be shown
 * @throws RunLost
 */
export type HoldRun = (tx: CustomerTransaction, counts?: TypeCounts) => Promise<void>;

/** A page that was read, to be staged. */
export interface PageToStage {
  readonly entityType: StoredEntityType;
  readonly read: ReadPage;
  /** The progress of the scope after the page. */
  readonly progress: Progress;
  /** Records read so far, of all types. */
  readonly counts: TypeCounts;
}

/**
 * Stages the pages of a run while the next ones are read. A page is stored at once if no other page is being stored.
 * Otherwise it waits, and all waiting pages are stored together, so the batch size adapts when pages arrive faster than
 * transactions end. Pages become durable in the order of their arrival, each with the checkpoint after it.
 */
export class PageStaging {
  private waiting: PageToStage[] = [];
  private size = 0;
  /** Settles when no page waits any more; undefined while no page is being stored. */
  private storing: Promise<void> | undefined;
  private failure: { readonly thrown: unknown } | undefined;
  private readonly stored: Set<StoredEntityType>;

  /**
   * @param hold renews the run's lease within a transaction
   * @param stored the scopes whose progress is stored
   */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly run: ClaimedRun,
    private readonly hold: HoldRun,
    stored: Iterable<StoredEntityType>,
  ) {
    this.stored = new Set(stored);
  }

  /**
   * Accepts a page. Resolves when there is room for the next one.
   *
   * @throws RunLost, or the error with which an earlier page failed
   */
  async add(page: PageToStage): Promise<void> {
    this.throwIfFailed();
    this.waiting.push(page);
    for (const chunk of page.read.chunks) this.size += chunk.length;
    for (const id of page.read.unchanged) this.size += id.length;
    this.storing ??= this.storeAll();
    if (this.size >= MOST_WAITING) await this.storing;
    this.throwIfFailed();
  }

  /**
   * Resolves when every page is stored.
   *
   * @throws like {@link add}
   */
  async end(): Promise<void> {
    await this.storing;
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.thrown;
  }

  /** Never rejects: `add` and `end` report the failure. */
  private async storeAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const pages = this.waiting;
        this.waiting = [];
        this.size = 0;
        await this.store(pages);
      }
    } catch (thrown) {
      this.failure = { thrown };
    } finally {
      this.storing = undefined;
    }
  }

  private async store(pages: readonly PageToStage[]): Promise<void> {
    const { run } = this;
    const reached = new Map(pages.map(({ entityType, progress }) => [entityType, progress]));
    await this.unitOfWork.runFor(
      run.connection.customerId,
      async (tx) => {
        // If the server crashes, pages lost here are read again. All tables but the lease's are unlogged anyway.
        tx.store.commitWithoutFlush();
        await this.hold(tx, pages.at(-1)?.counts);
        const chunks = pages.flatMap(({ read }) => read.chunks);
        if (chunks.length > 0) {
          await copyStaged(tx, copiedColumns, Readable.from(chunks));
        }
        for (const [entityType, progress] of reached) {
          const seen = pages.flatMap((page) => (page.entityType === entityType ? page.read.unchanged : []));
          if (seen.length > 0) await insertSightings(tx, run.id, entityType, progress.records, seen);
          await saveCheckpoint(tx, run, entityType, progress, this.stored.has(entityType));
        }
      },
      { deadlines: 'bulk' },
    );
    for (const entityType of reached.keys()) this.stored.add(entityType);
  }
}
