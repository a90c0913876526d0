import { AttentionService } from '../attention/attention.service';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersService } from '../auth/customers/customers.service';
import { ConnectionListingService } from '../connections/connection-listing.service';
import { LiveConnectionsService } from '../connections/live-connections.service';
import type { DatabasePooler } from '../runtime/config/setting-values';
import { CredentialsService } from '../platforms/credentials/credentials.service';
import type { DemoExpiry } from '../demo/demo-expiry';
import { OutboxOperations } from '../outbox/operator/outbox-operations';
import { ExchangeRatesService } from '../terms/rates/exchange-rates.service';
import { MatchingDecisions } from '../matching/decisions/decisions.service';
import { CasesService } from '../reconciliation/cases/cases.service';
import { StorageQuota } from '../records/storage-quota/storage-quota';
import { SubscriptionsService } from '../webhooks/subscriptions.service';
import type { Input } from './input';
import { ConnectionChecks } from '../sync/run/connection-checks';
import { SyncService } from '../sync/sync.service';

/** The services that commands work with, by their names in {@link Operator}. Their modules are those of `CliModule`. */
export const SERVICES = {
  attention: AttentionService,
  keys: ApiKeysService,
  customers: CustomersService,
  connections: ConnectionListingService,
  storage: StorageQuota,
  live: LiveConnectionsService,
  credentials: CredentialsService,
  outbox: OutboxOperations,
  sync: SyncService,
  checks: ConnectionChecks,
  webhooks: SubscriptionsService,
  rates: ExchangeRatesService,
  agreements: AgreementsService,
  reconciliation: CasesService,
  decisions: MatchingDecisions,
} as const;

export type Services = {
  readonly [Name in keyof typeof SERVICES]: InstanceType<(typeof SERVICES)[Name]>;
};

/** The parts of the service that the commands work with. */
export interface Operator extends Services {
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
