import { Injectable } from '@nestjs/common';
import { storedEntityTypes, type PlatformName } from '@app/mapper';
import type { Customer } from '../auth/customers/customer';
import type { Store } from '../database/transaction/store';
import type { ConnectionName } from '../platforms/connector';
import type { RequestContext } from '../runtime/tracing/request-context';
import type { Claim } from '../common/idempotency/claim';
import type { Handling } from '../common/idempotency/idempotency.service';
import { StorageQuota } from '../records/storage-quota/storage-quota';
import type { TypeCounts } from '../sync/run/run';
import { SyncService, type SyncState } from '../sync/sync.service';
import { ConnectionListingService } from './connection-listing.service';
import {
  plurals,
  type ConnectionList,
  type ConnectResult,
  type ConnectionRecord,
  type EntityCounts,
} from './connections.response';

/** Connects platforms, which reads their records, and lists connections. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly sync: SyncService,
    private readonly listing: ConnectionListingService,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * How a connect with an idempotency key is answered. Its effect is the run that it started or joined. While that run
   * continues, a repeated request waits for it again. After a failed run, a repeated request starts another one.
   */
  once(customer: Customer, platform: PlatformName, request: RequestContext): Handling<ConnectResult> {
    return {
      first: (claim) => this.connect(customer, platform, request, claim),
      again: async (runId) => {
        const state = await this.sync.stateOf(customer.id, runId);
        if (state === undefined) return undefined;
        return state.status === 'done'
          ? resultOf(platform, state)
          : this.connect(customer, platform, request);
      },
      statusOf: connectStatus,
      isFinal: ({ status }) => status === 'connected',
      // A conflict with other work is temporary.
      keepsRefusals: false,
    };
  }

  /**
   * Reads a platform's records and matches them with the records of the other platforms. On a connected platform it
   * synchronises. Concurrent connects share one run and its result.
   *
   * @param claim receives the ID of the run in the transaction that starts it
   * @returns `connecting` if the run takes longer than a response waits
   * @throws ApiError AUTHENTICATION_ERROR if the customer was deleted meanwhile; CONFLICT_ERROR if other work holds the
   *   customer's records for too long
   */
  async connect(
    customer: Customer,
    platform: PlatformName,
    request: RequestContext,
    claim?: Claim,
  ): Promise<ConnectResult> {
    const connection = { customerId: customer.id, platform, cause: request };
    const state = await this.synchronise(connection, claim);
    // A joined run has begun before the request.
    if (state.status === 'running' && state.runId !== undefined) claim?.note(state.runId);
    return resultOf(platform, state);
  }

  private async synchronise(connection: ConnectionName, claim: Claim | undefined): Promise<SyncState> {
    const begun = claim && ((store: Store, runId: string) => claim.name(store, runId));
    return this.sync.synchronise(connection, begun);
  }

  /** The customer's connections and storage. */
  async listWithStorage(customer: Customer): Promise<ConnectionList> {
    const [connections, { history, answers, quota }] = await Promise.all([
      this.list(customer),
      this.quota.stateOf(customer),
    ]);
    return {
      connections,
      storage: { history_bytes: history, kept_answers_bytes: answers, quota_bytes: quota ?? null },
    };
  }

  /** The platforms that are connected or being connected, in order of precedence. */
  async list(customer: Customer): Promise<readonly ConnectionRecord[]> {
    const listed = await this.listing.list(customer.id);
    return listed.map(({ currency: _currency, ...record }) => record);
  }
}

/** The HTTP status of the response to a connect. */
export function connectStatus({ status }: ConnectResult): number {
  return status === 'connecting' ? 202 : 200;
}

function resultOf(platform: PlatformName, { status, counts, mode }: SyncState): ConnectResult {
  return {
    platform,
    status: status === 'done' ? 'connected' : 'connecting',
    entities: entityCounts(counts),
    mode,
  };
}

function entityCounts(counts: TypeCounts): EntityCounts {
  // Each type has one plural, so every member of the result is there.
  return Object.fromEntries(storedEntityTypes.map((type) => [plurals[type], counts[type]])) as EntityCounts;
}
