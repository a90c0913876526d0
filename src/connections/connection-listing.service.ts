import { Injectable } from '@nestjs/common';
import { inPrecedence, platformNames } from '@app/mapper';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { lastRuns } from '../sync/run/run-history.repository';
import { connectionRecord } from './connection-record';
import type { ConnectionRecord } from './connections.response';

/** A connection as operators see it: as the API shows it, and its currency. */
export interface ListedConnection extends ConnectionRecord {
  /** ISO 4217; null before the first reading. */
  readonly currency: string | null;
}

/** The platforms that customers have connected, or are connecting. */
@Injectable()
export class ConnectionListingService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connections: ConnectionsRepository,
  ) {}

  /** The connections of a customer, in order of precedence. */
  list(customerId: string): Promise<readonly ListedConnection[]> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const rows = await this.connections.list(tx);
        const runs = await lastRuns(tx);
        const listed = platformNames.flatMap((platform): ListedConnection[] => {
          const row = rows.find((one) => one.platform === platform);
          const own = runs.filter((run) => run.platform === platform);
          const record = connectionRecord(platform, row, own);
          return record === undefined ? [] : [{ ...record, currency: row?.currency ?? null }];
        });
        return inPrecedence(listed);
      },
      // Both are read at one moment. Otherwise a run that is published in between would be seen by half.
      { readOnly: true, isolation: 'REPEATABLE READ' },
    );
  }
}
