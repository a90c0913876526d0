import { Injectable } from '@nestjs/common';
import {
  isStoredEntityType,
  mappingOf,
  ownFieldName,
  platformNames,
  type OwnFields,
  type PlatformName,
} from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { recordsBehind, type FilledRecord } from '../../records/column-fill/column-fills.repository';
import { loadTerms } from '../../records/terms/terms.repository';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import {
  dueReadings,
  lockReading,
  noteReady,
  savePage,
  type DueReading,
  type FieldReading,
  type ReadField,
  type ReadingPosition,
} from './field-readings.repository';

/**
 * Milliseconds between two polls for readings. A definition on this instance starts a poll at once. A field that waits
 * for comparisons is found by a later poll.
 */
const PAUSE = 2_000;

/** The most readings that one poll finds. */
const PAGE = 100;

/** Nothing of a page. */
const noCounts = { read: 0, filled: 0, unreadable: 0 };

/**
 * Reads stored records again after an own field was defined or removed. It counts the records that have a value and
 * those whose value does not fit. Each page is a short transaction that also saves the position of the reading, so
 * after a stop the reading continues after the last page. It changes no record, because objects are assembled when they
 * are read. The field is ready once the comparisons include the definition too; then the reader stores an event.
 */
@Injectable()
export class FieldReader {
  private readonly worker: Worker<DueReading>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly workers: Workers,
  ) {
    this.worker = workers.of<DueReading>({
      name: 'own_fields',
      context: 'OwnFields',
      interval: PAUSE,
      mostAtOnce: 1,
      failure: {
        poll: 'Readings of own fields could not be looked for',
        item: 'Records could not be read for an own field',
      },
      find: async () => ({
        due: await unitOfWork.run((store) => dueReadings(store, PAGE), { readOnly: true }),
      }),
      run: (due, stop) => this.readAll(due, stop),
      describe: ({ customerId }) => ({ customerId }),
    });
  }

  /** Begins to look for readings. Operators' commands define fields and leave the reading to the service. */
  start(): void {
    this.workers.start(this.worker);
  }

  /** Looks for readings now. */
  wake(): void {
    this.worker.wake();
  }

  private async readAll(due: DueReading, stop: AbortSignal): Promise<void> {
    let isLeft = true;
    while (isLeft && !stop.aborted) {
      isLeft = await this.unitOfWork.runFor(due.customerId, (tx) => readOn(tx, due), { deadlines: 'bulk' });
    }
  }
}

/** The next step of a reading. @returns whether a further one may follow at once */
async function readOn(tx: CustomerTransaction, field: ReadField): Promise<boolean> {
  const reading = await lockReading(tx, field);
  if (reading === undefined) return false;
  if (reading.isDone) await noteReady(tx, field);
  else await readPage(tx, field, reading);
  return !reading.isDone;
}

async function readPage(tx: CustomerTransaction, field: ReadField, position: ReadingPosition): Promise<void> {
  const platform = platformNames.find((name) => name === position.platform) ?? platformNames[0];
  const { entityType } = field;
  if (platform === undefined || !isStoredEntityType(entityType)) {
    await savePage(tx, field, noCounts, undefined);
    return;
  }
  const { platformId } = position;
  const page = await recordsBehind(tx, platform, { isDeleted: false, entityType, platformId });
  const own = page.filter((record) => record.entityType === entityType);
  const last = own.at(-1);
  // Records of a type follow each other, so another type, or nothing, is behind the last of them.
  const next =
    last !== undefined && own.length === page.length
      ? { platform, platformId: last.platformId }
      : behind(platform);
  const { own: definitions } = await loadTerms(tx);
  await savePage(tx, field, countsOf(own, field, definitions), next);
}

function behind(platform: PlatformName): ReadingPosition | undefined {
  const next = platformNames[platformNames.indexOf(platform) + 1];
  return next && { platform: next, platformId: '' };
}

function countsOf(
  records: readonly FilledRecord[],
  { entityType, name }: ReadField,
  own: OwnFields | undefined,
): Pick<FieldReading, 'read' | 'filled' | 'unreadable'> {
  const field = ownFieldName(name);
  let [filled, unreadable] = [0, 0];
  for (const { copy } of records) {
    if (copy === undefined) continue;
    const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant, own });
    const path = mapping.pathOf(field);
    // The field was removed, or stands on the other platform.
    if (path === undefined) continue;
    const { data, issues } = mapping.read(copy.payload, copy);
    if ((data[field] ?? null) !== null) filled += 1;
    if (issues.some((issue) => issue.path === path)) unreadable += 1;
  }
  return { read: records.length, filled, unreadable };
}
