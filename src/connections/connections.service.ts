import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { inPrecedence, platformNames, storedEntityTypes, type PlatformName } from '@app/mapper';
import { invalidKey } from '../auth/api-key.guard';
import type { Customer } from '../auth/customer';
import { ConnectionRow } from '../database/entities/connection.entity';
import { UnitOfWork } from '../database/unit-of-work';
import { CustomerGone, type TypeCounts } from '../sync/run';
import { lastRuns } from '../sync/run-history';
import { SyncService, type SyncState } from '../sync/sync.service';
import { connectionRecord } from './connection-record';
import { plurals, type ConnectResult, type ConnectionRecord, type EntityCounts } from './connections.answer';

/** Connects platforms, which brings their records in, and lists what is connected. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sync: SyncService,
    @InjectRepository(ConnectionRow) private readonly rows: Repository<ConnectionRow>,
  ) {}

  /**
   * Brings a platform's records in and matches them with those of the other platforms. Again on a connected platform it
   * synchronises. Two at once share one run and its answer.
   *
   * @returns `connecting` when the run takes longer than an answer waits
   * @throws ApiError AUTHENTICATION_ERROR when the customer was deleted meanwhile; CONFLICT_ERROR when other work keeps
   *   the customer's records for long
   */
  async connect(customer: Customer, platform: PlatformName): Promise<ConnectResult> {
    const state = await this.synchronise(customer, platform);
    return {
      platform,
      status: state.status === 'done' ? 'connected' : 'connecting',
      entities: entityCounts(state.counts),
      mode: state.mode,
    };
  }

  private async synchronise(customer: Customer, platform: PlatformName): Promise<SyncState> {
    try {
      return await this.sync.synchronise({ customerId: customer.id, platform });
    } catch (error) {
      throw error instanceof CustomerGone ? invalidKey() : error;
    }
  }

  /** The platforms that are connected or being connected, in order of precedence. */
  async list(customer: Customer): Promise<readonly ConnectionRecord[]> {
    const customerId = customer.id;
    const [rows, runs] = await this.unitOfWork.run(
      async (store) =>
        [
          await store.manager.withRepository(this.rows).find({ where: { customerId } }),
          await lastRuns(store, customerId),
        ] as const,
      // One moment: a run that becomes visible between the two would be seen half.
      { customerId, readOnly: true, isolation: 'REPEATABLE READ' },
    );
    const listed = platformNames.flatMap((platform) => {
      const row = rows.find((one) => one.platform === platform);
      const own = runs.filter((run) => run.platform === platform);
      return connectionRecord(platform, row, own) ?? [];
    });
    return inPrecedence(listed);
  }
}

function entityCounts(counts: TypeCounts): EntityCounts {
  const entities: EntityCounts = { projects: 0, customers: 0, contracts: 0, invoices: 0, payments: 0 };
  for (const entityType of storedEntityTypes) entities[plurals[entityType]] = counts[entityType];
  return entities;
}
