import { Injectable } from '@nestjs/common';
import { storedEntityTypes, type PlatformName } from '@app/mapper';
import { invalidKey } from '../auth/api-key.guard';
import type { Customer } from '../auth/customer';
import { CustomerGone, type TypeCounts } from '../sync/run';
import { SyncService, type SyncState } from '../sync/sync.service';
import { ConnectionListingService } from './connection-listing.service';
import { plurals, type ConnectResult, type ConnectionRecord, type EntityCounts } from './connections.answer';

/** Connects platforms, which brings their records in, and lists what is connected. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly sync: SyncService,
    private readonly listing: ConnectionListingService,
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
    const listed = await this.listing.list(customer.id);
    return listed.map(({ currency: _currency, ...record }) => record);
  }
}

function entityCounts(counts: TypeCounts): EntityCounts {
  const entities: EntityCounts = { projects: 0, customers: 0, contracts: 0, invoices: 0, payments: 0 };
  for (const entityType of storedEntityTypes) entities[plurals[entityType]] = counts[entityType];
  return entities;
}
