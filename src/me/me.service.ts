import { Inject, Injectable } from '@nestjs/common';
import { platformNames, type PlatformName } from '@app/mapper';
import type { Caller } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { CustomersRepository } from '../auth/customers/customers.repository';
import { ApiKeysRepository } from '../auth/keys/api-keys.repository';
import { KEPT_FOR } from '../common/idempotency/keyed-request';
import { PAGE_SIZE } from '../common/paging/paging';
import { CustomerDeleted } from '../database/transaction/customer-deleted';
import { ONE_SNAPSHOT, UnitOfWork } from '../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { loadTerms } from '../records/terms/terms.repository';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { connectionState } from '../sync/run/connection-state';
import { lastRuns } from '../sync/run/run-history.repository';
import type { MeResponse } from './me.response';

/** Describes the caller: its customer, its key and its permissions. */
@Injectable()
export class MeService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly customers: CustomersRepository,
    private readonly keys: ApiKeysRepository,
    private readonly connections: ConnectionsRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * @throws CustomerDeleted when the customer was deleted meanwhile
   * @throws ApiError NOT_FOUND when its key was
   */
  describe({ customer, mode, keyId, permissions }: Caller): Promise<MeResponse> {
    return this.unitOfWork.runFor(
      customer.id,
      async (tx) => {
        const profile = await this.customers.findProfile(tx);
        if (profile === null) throw new CustomerDeleted();
        const { label } = await this.keys.get(tx.store, keyId);
        const connected = await this.connections.list(tx);
        const runs = await lastRuns(tx);
        const { rates } = await loadTerms(tx);
        const states = platformNames.flatMap(
          (platform): [PlatformName, MeResponse['platforms'][PlatformName]][] => {
            const visible = connected.find((one) => one.platform === platform);
            const own = runs.filter((run) => run.platform === platform);
            const state = connectionState(visible, own);
            return state === undefined ? [] : [[platform, { mode: state.mode, status: state.status }]];
          },
        );
        const named = [
          ...connected.map(({ currency }) => currency),
          ...rates.flatMap(({ from, to }) => [from, to]),
        ];
        return {
          customer: { id: profile.id, name: profile.name, time_zone: profile.timeZone },
          key: { label, mode, permissions },
          currencies: [...new Set(named)].sort(),
          platforms: Object.fromEntries(states),
          limits: this.limitsOf(customer),
        };
      },
      ONE_SNAPSHOT,
    );
  }

  private limitsOf({ kind }: Customer): MeResponse['limits'] {
    const { environment } = this;
    const isDemo = kind === 'demo';
    return {
      body_bytes: environment.bodyLimitBytes,
      page_size: PAGE_SIZE,
      storage_quota_bytes: orNull(isDemo ? environment.demoStorageQuotaBytes : environment.storageQuotaBytes),
      history_seconds: orNull(environment.historyTtlMs / 1_000),
      idempotency_key_seconds: KEPT_FOR / 1_000,
      idempotency_keys: environment.idempotencyKeys,
      connect_wait_seconds: environment.connectWaitMs / 1_000,
      propagate_wait_seconds: environment.propagateWaitMs / 1_000,
      demo_session_seconds: isDemo ? orNull(environment.demoSessionTtlMs / 1_000) : null,
    };
  }
}

/** The limit of a setting, in which 0 means no limit. */
function orNull(limit: number): number | null {
  return limit === 0 ? null : limit;
}
