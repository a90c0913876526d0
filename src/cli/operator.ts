import type { AttentionService } from '../attention/attention.service';
import type { AgreementsService } from '../terms/agreements/agreements.service';
import type { ApiKeysService } from '../auth/api-keys.service';
import type { CustomersService } from '../auth/customers/customers.service';
import type { ConnectionListingService } from '../connections/connection-listing.service';
import type { LiveConnectionsService } from '../connections/live-connections.service';
import type { DatabasePooler } from '../runtime/config/setting-values';
import type { CredentialsService } from '../platforms/credentials/credentials.service';
import type { DemoExpiry } from '../demo/demo-expiry';
import type { OutboxOperations } from '../outbox/operator/outbox-operations';
import type { ExchangeRatesService } from '../terms/rates/exchange-rates.service';
import type { MatchingDecisions } from '../matching/decisions/decisions.service';
import type { CasesService } from '../reconciliation/cases/cases.service';
import type { StorageQuota } from '../records/storage-quota/storage-quota';
import type { SubscriptionsService } from '../webhooks/subscriptions.service';
import type { Input } from './input';
import type { ConnectionChecks } from '../sync/run/connection-checks';
import type { SyncService } from '../sync/sync.service';

/** The parts of the service that the commands work with. */
export interface Operator {
  readonly attention: AttentionService;
  readonly keys: ApiKeysService;
  readonly customers: CustomersService;
  readonly connections: ConnectionListingService;
  readonly storage: Pick<StorageQuota, 'lastKnown'>;
  readonly live: LiveConnectionsService;
  readonly credentials: CredentialsService;
  readonly outbox: OutboxOperations;
  readonly sync: Pick<SyncService, 'complete'>;
  readonly checks: Pick<ConnectionChecks, 'estimate' | 'test'>;
  readonly webhooks: SubscriptionsService;
  readonly rates: ExchangeRatesService;
  readonly agreements: AgreementsService;
  readonly reconciliation: Pick<CasesService, 'list'>;
  readonly decisions: Pick<MatchingDecisions, 'list'>;
  readonly demo: {
    readonly expiry: DemoExpiry;
    /** Lifetime of a demo session in milliseconds; 0 for ever. */
    readonly ttl: number;
  };
}

/** A command's access to standard input and to the database. Both ways to open the database also close it. */
export interface Access {
  readonly input: Input;
  /** Brings the schema up to date, and provides the parts of the service. */
  readonly operate: <Result>(work: (operator: Operator) => Promise<Result>) => Promise<Result>;
  /** Provides the address of the database, whose schema stays as it is, and the kind of pooler in front of it. */
  readonly reach: <Result>(
    work: (databaseUrl: string, pooler: DatabasePooler) => Promise<Result>,
  ) => Promise<Result>;
}
