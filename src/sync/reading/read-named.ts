import { isJsonObject, parseJsonText, type StoredEntityType } from '@app/mapper';
import type { NamedRecord, RecordRef, SourceRecord } from '../../platforms/connector';
import { ExistenceUnknown, PlatformRefused } from '../../platforms/platform-error';
import { showsAbsences, type Progress } from '../run/checkpoints.repository';
import { comparison, countsOf, type Fetch } from './fetch';
import { namedTypes, postponeNamed, storedRecord, unseenNamed } from '../schedule/named-records.repository';
import { readPage } from './page-reading';
import { PageStaging } from './page-staging';
import type { SchedulesRepository } from '../schedule/schedules.repository';

/** Maximum number of records that one run looks up individually. The next run looks up the others. */
const MOST_READ_ALONE = 50;

/** Maximum number of lookups for records that are not stored: each may require a search through the platform. */
const MOST_SEARCHES = 5;

/** Maximum number of lookups at which the platform may fail in one run. A platform that fails more often is left alone. */
const MOST_FAILURES = 3;

/** The collaborators of {@link readNamed}, and what the run has read before. */
export interface NamedReading extends Omit<Fetch, 'cursors' | 'progressed' | 'foreseen'> {
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  readonly readingSince: string;
  readonly schedules: SchedulesRepository;
  /** Called with the platform's error. After an outage the next run looks the record up again, behind the others. */
  readonly failed: (error: unknown) => void;
}

/**
 * Reads the records that the platform has named as changed and that the run has not read. Lists of changes omit some
 * records, such as payments on platform_a whose contract has the same sum as before. Found records are staged like any
 * other record.
 *
 * @returns the progress by type, including these records
 * @throws RunLost; the signal's reason
 */
export async function readNamed(reading: NamedReading): Promise<ReadonlyMap<StoredEntityType, Progress>> {
  const { run, connector, seen } = reading;
  if (run.connection.mode === 'sandbox' || connector.find === undefined) return seen;
  const named = await unseen(reading);
  if (named.length === 0) return seen;
  const reached = new Map(seen);
  const staging = new PageStaging(reading.unitOfWork, run, reading.hold, seen.keys());
  const late = named.slice(MOST_READ_ALONE);
  const failed: NamedRecord[] = [];
  let searches = 0;
  let settled = 0;
  let failures = 0;
  for (const [place, record] of named.slice(0, MOST_READ_ALONE).entries()) {
    const stored = await storedOf(reading, record);
    if (stored === undefined) searches += 1;
    if (searches > MOST_SEARCHES && stored === undefined) {
      late.push(record);
      continue;
    }
    const ref = { variant: null, ...stored, ...record };
    let found: SourceRecord | undefined;
    try {
      found = await connector.find(run.connection, ref, reading.signal);
    } catch (error) {
      reading.signal.throwIfAborted();
      // The ordinary reading reports an unreadable record as a gap.
      if (!(error instanceof ExistenceUnknown)) {
        reading.failed(error);
        failures += 1;
        // A person must change something before another lookup can succeed.
        if (!(error instanceof PlatformRefused)) failed.push(record);
        if (failures < MOST_FAILURES) continue;
        late.push(...named.slice(place + 1, MOST_READ_ALONE));
        break;
      }
    }
    settled += 1;
    if (found !== undefined) await stage(reading, staging, reached, found);
  }
  await staging.end();
  // The platform may fail at a record each time. So no run comes sooner for it, and none keeps it that reads everything.
  const left = run.whole ? late : [...late, ...failed];
  if (left.length > 0) await leave(reading, left, late.length > 0 && settled > 0);
  return reached;
}

/** The named records that were not read. A scope that was read completely needs no lookups. */
async function unseen({
  unitOfWork,
  run,
  seen,
  readingSince,
}: NamedReading): Promise<readonly NamedRecord[]> {
  const { customerId } = run.connection;
  const types = await unitOfWork.runFor(customerId, (tx) => namedTypes(tx, run, readingSince), {
    readOnly: true,
  });
  const open = types.filter((entityType) => {
    const progress = seen.get(entityType);
    return progress !== undefined && !showsAbsences(progress);
  });
  if (open.length === 0) return [];
  return unitOfWork.runFor(customerId, (tx) => unseenNamed(tx, run, readingSince, open), {
    readOnly: true,
    deadlines: 'bulk',
  });
}

/** The stored record, reduced to the values that the lookup uses. */
async function storedOf(
  { unitOfWork, run: { connection } }: NamedReading,
  record: NamedRecord,
): Promise<Pick<RecordRef, 'variant' | 'known'> | undefined> {
  const { customerId } = connection;
  const stored = await unitOfWork.runFor(customerId, (tx) => storedRecord(tx, connection, record), {
    readOnly: true,
  });
  const known = stored && parseJsonText(stored.payload);
  return stored && { variant: stored.variant, ...(isJsonObject(known) && { known }) };
}

async function stage(
  reading: NamedReading,
  staging: PageStaging,
  reached: Map<StoredEntityType, Progress>,
  found: SourceRecord,
): Promise<void> {
  const { entityType } = found;
  const before = reached.get(entityType);
  if (before === undefined) return;
  const page = { records: [found], next: before.position };
  const compare = await comparison(reading, entityType);
  const read = await readPage(reading.run, reading.currency, page, before.records, compare);
  const progress = {
    ...before,
    records: before.records + 1,
    withoutId: before.withoutId + read.withoutId,
    unreadableFields: before.unreadableFields + read.unreadableFields,
  };
  reached.set(entityType, progress);
  await staging.add({ entityType, read, progress, counts: countsOf(reached) });
}

/** Leaves records to the next run. @param isSoon whether that run is requested */
async function leave(
  { unitOfWork, schedules, run: { connection } }: NamedReading,
  named: readonly NamedRecord[],
  isSoon: boolean,
): Promise<void> {
  const { customerId } = connection;
  await unitOfWork.runFor(customerId, async (tx) => {
    if (isSoon) await schedules.request(tx, connection, false);
    await postponeNamed(tx, connection, named);
  });
}
