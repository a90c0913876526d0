import { Inject, Injectable } from '@nestjs/common';
import { inPrecedence, platformNames } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { CustomerTransaction } from '../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { lastRuns } from '../sync/run/run-history.repository';
import { connectionRecord } from './connection-record';
import { connectionTroubles, type ConnectionTroubles } from './connection-troubles.repository';
import type { ConnectionRecord } from './connections.response';

/** A connection as operators see it: as the API shows it, and its currency. */
export interface ListedConnection extends ConnectionRecord {
  /** ISO 4217; null before the first reading. */
  readonly currency: string | null;
}

/** A connection with its problems. */
export type WatchedConnection = ListedConnection & Omit<ConnectionTroubles, 'platform'>;

/** The platforms that customers have connected, or are connecting. */
@Injectable()
export class ConnectionListingService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connections: ConnectionsRepository,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'syncIntervalMs'>,
  ) {}

  /** The connections of a customer, in order of precedence. */
  list(customerId: string): Promise<readonly ListedConnection[]> {
    return this.unitOfWork.runFor(customerId, (tx) => this.listed(tx), ONE_SNAPSHOT);
  }

  /** The connections with their problems. */
  watch(customerId: string): Promise<readonly WatchedConnection[]> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const troubles = await connectionTroubles(tx, this.environment.syncIntervalMs > 0);
        return (await this.listed(tx)).map((connection) => {
          const own = troubles.find(({ platform }) => platform === connection.platform) ?? noTroubles;
          const { heldWrites, heldDeletions, failures, lateSeconds } = own;
          return { ...connection, heldWrites, heldDeletions, failures, lateSeconds };
        });
      },
      ONE_SNAPSHOT,
    );
  }

  private async listed(tx: CustomerTransaction): Promise<readonly ListedConnection[]> {
    const rows = await this.connections.list(tx);
    const runs = await lastRuns(tx);
    const listed = platformNames.flatMap((platform): ListedConnection[] => {
      const row = rows.find((one) => one.platform === platform);
      const own = runs.filter((run) => run.platform === platform);
      const record = connectionRecord(platform, row, own);
      return record === undefined ? [] : [{ ...record, currency: row?.currency ?? null }];
    });
    return inPrecedence(listed);
  }
}

const noTroubles = { heldWrites: 0, heldDeletions: 0, failures: 0, lateSeconds: null };
