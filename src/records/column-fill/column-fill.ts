import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { mappingOf, type PlatformName } from '@app/mapper';
import { tryLockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import { searchedColumns } from '../platform-records/searched-columns';
import {
  dueFills,
  fillColumns,
  fillPosition,
  recordsBehind,
  saveFillPosition,
  type DueFill,
  type FilledRecord,
} from './column-fills.repository';

/** Milliseconds between two polls for unfinished fills. Once there are none, a poll reads an empty table. */
const PAUSE = 10_000;

/** The most fills that one poll finds. */
const BATCH = 100;

/**
 * Fills the columns by which listings find and order records, for records that an earlier release stored. Each page is a
 * short transaction that also saves the position of the fill, so after a stop the fill continues after the last page. A
 * fill has ended when it has passed all records. Records that are written meanwhile get their columns with the write.
 */
@Injectable()
export class ColumnFill implements OnApplicationBootstrap {
  private readonly worker: Worker<DueFill>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly workers: Workers,
  ) {
    this.worker = workers.of<DueFill>({
      name: 'column_fill',
      interval: PAUSE,
      mostAtOnce: 1,
      failure: { poll: 'Fills could not be looked for', item: 'Columns of records could not be filled' },
      find: async () => ({
        due: await unitOfWork.run((store) => dueFills(store, BATCH), { readOnly: true }),
      }),
      run: (due, stop) => this.fill(due, stop),
      describe: ({ customerId }) => ({ customerId }),
    });
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.worker);
  }

  /**
   * Fills the columns that one poll finds, except those of customers whose lock other work holds. Resolves at the end.
   */
  sweep(stop: AbortSignal): Promise<void> {
    return this.worker.sweep(stop);
  }

  private async fill({ customerId, platform }: DueFill, stop: AbortSignal): Promise<void> {
    let isLeft = true;
    while (isLeft && !stop.aborted) {
      isLeft = await this.unitOfWork.runFor(customerId, (tx) => this.fillPage(tx, platform), {
        deadlines: 'bulk',
      });
    }
  }

  /** Fills one page under the customer's lock. @returns whether the next page may follow at once */
  private async fillPage(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
    if (!(await tryLockCustomer(tx))) return false;
    const position = await fillPosition(tx, platform);
    if (position === undefined) return false;
    const { isDeleted } = position;
    const records = await recordsBehind(tx, platform, position);
    const last = records.at(-1);
    if (last === undefined) {
      // A record that was deleted meanwhile is among the deleted ones, which come last.
      const next = isDeleted ? undefined : { isDeleted: true, entityType: '', platformId: '' };
      await saveFillPosition(tx, platform, next);
      return next !== undefined;
    }
    await fillColumns(tx, platform, isDeleted, records.flatMap(columnsOf));
    const { entityType, platformId } = last;
    await saveFillPosition(tx, platform, { isDeleted, entityType, platformId });
    return true;
  }
}

function columnsOf({ entityType, platformId, copy }: FilledRecord): Parameters<typeof fillColumns>[3] {
  if (copy === undefined) return [];
  const { data } = mappingOf(copy.platform, entityType, { variant: copy.variant }).read(copy.payload, copy);
  return [{ entityType, platformId, columns: searchedColumns(entityType, data) }];
}
