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

/** Connects platforms, which brings their records in, and lists what is connected. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly sync: SyncService,
    private readonly listing: ConnectionListingService,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * How a connect is answered that is to be made once: a run that it has started, or found under way, is what comes of
   * it. As long as that run goes on, the same request waits for it again; when it has failed, it starts another one.
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
      // What stands in the way of a connect passes.
      keepsRefusals: false,
    };
  }

  /**
   * Brings a platform's records in and matches them with those of the other platforms. Again on a connected platform it
   * synchronises. Two at once share one run and its answer.
   *
   * @param claim gets the ID of the run with its start
   * @returns `connecting` when the run takes longer than an answer waits
   * @throws ApiError AUTHENTICATION_ERROR when the customer was deleted meanwhile; CONFLICT_ERROR when other work keeps
   *   the customer's records for long
   */
  async connect(
    customer: Customer,
    platform: PlatformName,
    request: RequestContext,
    claim?: Claim,
  ): Promise<ConnectResult> {
    const connection = { customerId: customer.id, platform, cause: request };
    const state = await this.synchronise(connection, claim);
    // One that was joined has begun before the request.
    if (state.status === 'running' && state.runId !== undefined) claim?.note(state.runId);
    return resultOf(platform, state);
  }

  private async synchronise(connection: ConnectionName, claim: Claim | undefined): Promise<SyncState> {
    const begun = claim && ((store: Store, runId: string) => claim.name(store, runId));
    return this.sync.synchronise(connection, begun);
  }

  /** What is connected, and what the customer has stored. */
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

/** The status of an answer to a connect. */
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
  const entities: EntityCounts = { projects: 0, customers: 0, contracts: 0, invoices: 0, payments: 0 };
  for (const entityType of storedEntityTypes) entities[plurals[entityType]] = counts[entityType];
  return entities;
}
