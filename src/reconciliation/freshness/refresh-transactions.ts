import { Injectable } from '@nestjs/common';
import type { CustomerTransaction } from '../../database/transaction/store';
import { LONG_SNAPSHOT, UnitOfWork, type UnitOfWorkOptions } from '../../database/transaction/unit-of-work';

/** The short transactions of a refresh. Between them only a lease is held. */
@Injectable()
export class RefreshTransactions {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  read<T>(customerId: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, LONG_SNAPSHOT);
  }

  /**
   * Comparisons are derived from the records. If the server crashes, it loses the last comparisons together with the
   * record of their progress. Writes therefore need not wait for the disk.
   */
  write<T>(
    customerId: string,
    work: (tx: CustomerTransaction) => Promise<T>,
    options: Pick<UnitOfWorkOptions, 'lockWaitMs'> = {},
  ): Promise<T> {
    return this.unitOfWork.runFor(
      customerId,
      (tx) => {
        tx.store.commitWithoutFlush();
        return work(tx);
      },
      { ...options, deadlines: 'bulk' },
    );
  }
}
