import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { CallBudget, Checkpoint, Connector, RecordPage } from '../../platforms/connector';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { beginning, readCheckpoints, type Progress } from '../run/checkpoints.repository';
import type { Cursors, CursorsRepository } from './cursors.repository';
import { findChanged, hasRecords } from './known-records.repository';
import { readPage, type FindChanged, type ReadPage } from './page-reading';
import { PageStaging, type HoldRun } from './page-staging';
import { noCounts, type ClaimedRun, type TypeCounts } from '../run/run';

/** The collaborators and callbacks of {@link fetchAll}. */
export interface Fetch {
  readonly unitOfWork: UnitOfWork;
  readonly run: ClaimedRun;
  readonly cursors: CursorsRepository;
  readonly connector: Connector;
  /** ISO 4217 code of the connection's currency. */
  readonly currency: string;
  /** Renews the lease with each stored page. */
  readonly hold: HoldRun;
  readonly signal: AbortSignal;
  /** Called with the number of records read so far. */
  readonly progressed: (counts: TypeCounts) => void;
  /** Called with the expected calls of a list, if the platform reports its size with the first page. */
  readonly foreseen: (entityType: StoredEntityType, budget: CallBudget) => void;
}

/**
 * Reads every scope from its checkpoint and stages the records. Short transactions store pages together with the
 * checkpoint after them. The next pages are read while pages are stored.
 *
 * @returns the progress by type
 * @throws RunLost, and any error of the connector
 */
export async function fetchAll(fetch: Fetch): Promise<ReadonlyMap<StoredEntityType, Progress>> {
  const { unitOfWork, run, connector, currency, hold, signal } = fetch;
  const { customerId } = run.connection;
  const reached = await unitOfWork.runFor(customerId, (tx) => readCheckpoints(tx, run));
  const staging = new PageStaging(unitOfWork, run, hold, reached.keys());
  const cursors = await cursorsFor(fetch);
  for (const entityType of storedEntityTypes) {
    // A resumed scope keeps the cursor with which it began, even if the stored cursor has changed since.
    const known = cursors.get(entityType);
    const before = known?.position;
    const isOfChanges = !run.whole && known?.beginsChanges === true;
    let progress = reached.get(entityType) ?? { ...beginning, since: (isOfChanges ? before : null) ?? null };
    if (progress.complete !== null) continue;
    const { position: from, since } = progress;
    const compare = await comparison(fetch, entityType);
    const scope = {
      entityType,
      ...(since !== null && { since }),
      ...(before !== undefined && { before }),
      already: cursorsOf(reached),
    };
    const pages = connector.read(run.connection, scope, from, signal);
    for await (const page of readAhead(endedProperly(pages))) {
      signal.throwIfAborted();
      if (page.foreseen !== undefined) fetch.foreseen(entityType, page.foreseen);
      const read = await readPage(run, currency, page, progress.records, compare);
      progress = after(progress, page, read);
      reached.set(entityType, progress);
      const counts = countsOf(reached);
      fetch.progressed(counts);
      await staging.add({ entityType, read, progress, counts });
    }
  }
  await staging.end();
  return reached;
}

/** What the last reading covered of each scope. A run that reads changes starts there. */
function cursorsFor({ unitOfWork, cursors, run }: Fetch): Promise<Cursors> {
  const { customerId } = run.connection;
  return unitOfWork.runFor(customerId, (tx) => cursors.ofRun(tx, run), { readOnly: true });
}

/** The comparison of a type's pages with the stored records; undefined if no record of the type is stored. */
export async function comparison(
  { unitOfWork, run: { connection } }: Pick<Fetch, 'unitOfWork' | 'run'>,
  entityType: StoredEntityType,
): Promise<FindChanged | undefined> {
  const short = { customerId: connection.customerId, readOnly: true };
  const known = await unitOfWork.run(
    (store) => hasRecords(store.forCustomer(connection.customerId), connection, entityType),
    short,
  );
  if (!known) return undefined;
  return (ids, digests) =>
    unitOfWork.run(
      (store) => findChanged(store.forCustomer(connection.customerId), connection, entityType, ids, digests),
      short,
    );
}

/** The same items, read ahead: each next item is requested while the previous one is processed. */
async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = items.next();
      // The consumer gets the failure when it requests the item. Until then Node must not report an unhandled
      // rejection.
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    // Not awaited: a platform may be slow to return a page that is no longer needed.
    items.return(undefined).catch(() => undefined);
  }
}

/**
 * The pages of a reading. If a reading ends without a last page, an empty page is added, which leaves the scope
 * incomplete.
 */
async function* endedProperly(pages: AsyncIterable<RecordPage>): AsyncGenerator<RecordPage> {
  let ended = false;
  for await (const page of pages) {
    ended = page.next === null;
    yield page;
    if (ended) return;
  }
  if (!ended) yield { records: [], next: null };
}

function after(before: Progress, page: RecordPage, read: ReadPage): Progress {
  return {
    position: page.next,
    complete: page.next === null ? page.complete === true : null,
    records: before.records + page.records.length,
    withoutId: before.withoutId + read.withoutId,
    unreadableFields: before.unreadableFields + read.unreadableFields,
    since: before.since,
    cursor: page.next === null ? (page.cursor ?? null) : null,
    gaps: page.gaps === undefined ? before.gaps : [...before.gaps, ...page.gaps],
    calls: before.calls + (page.calls ?? 0),
    limited: before.limited + (page.limited ?? 0),
  };
}

/** The cursors of the scopes that the run has read to their end. */
function cursorsOf(
  reached: ReadonlyMap<StoredEntityType, Progress>,
): ReadonlyMap<StoredEntityType, Checkpoint> {
  return new Map(
    [...reached].flatMap(([entityType, { complete, cursor }]) =>
      complete === null || cursor === null ? [] : [[entityType, cursor] as const],
    ),
  );
}

/** Records read so far, by type. */
export function countsOf(reached: ReadonlyMap<StoredEntityType, Progress>): TypeCounts {
  const counts = noCounts();
  for (const [entityType, { records }] of reached) counts[entityType] = records;
  return counts;
}
