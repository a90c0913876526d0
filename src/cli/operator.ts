import { Inject, Injectable } from '@nestjs/common';
import { AttentionService } from '../attention/attention.service';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersService } from '../auth/customers/customers.service';
import { ConnectionListingService } from '../connections/connection-listing.service';
import { LiveConnectionsService } from '../connections/live-connections.service';
import { DatabaseClock } from '../runtime/clock/database-clock';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { DatabasePooler } from '../runtime/config/setting-values';
import { CredentialsService } from '../platforms/credentials/credentials.service';
import { DemoExpiry } from '../demo/demo-expiry';
import { OutboxOperations } from '../outbox/operator/outbox-operations';
import { ExchangeRatesService } from '../terms/rates/exchange-rates.service';
import { OwnFieldsService } from '../terms/own-fields/own-fields.service';
import { MatchingDecisions } from '../matching/decisions/decisions.service';
import { CasesService } from '../reconciliation/cases/cases.service';
import { StorageQuota } from '../records/storage-quota/storage-quota';
import { SubscriptionsService } from '../webhooks/subscriptions.service';
import { EndpointListingService } from '../webhook-endpoints/endpoint-listing.service';
import { EndpointRemovalService } from '../webhook-endpoints/endpoint-removal.service';
import type { Input } from './input';
import { ConnectionChecks } from '../sync/execution/connection-checks';
import { CustomerRemoval } from '../sync/removal/customer-removal';
import { SyncService } from '../sync/sync.service';

/** The parts of the service that the commands work with. Their modules are those of `CliModule`. */
@Injectable()
export class Operator {
  constructor(
    readonly attention: AttentionService,
    readonly keys: ApiKeysService,
    readonly customers: CustomersService,
    readonly customerRemoval: CustomerRemoval,
    readonly connections: ConnectionListingService,
    readonly storage: StorageQuota,
    readonly live: LiveConnectionsService,
    readonly credentials: CredentialsService,
    readonly outbox: OutboxOperations,
    readonly sync: SyncService,
    readonly checks: ConnectionChecks,
    readonly webhooks: SubscriptionsService,
    readonly rates: ExchangeRatesService,
    readonly agreements: AgreementsService,
    readonly fields: OwnFieldsService,
    readonly reconciliation: CasesService,
    readonly decisions: MatchingDecisions,
    readonly endpoints: EndpointListingService,
    readonly endpointRemoval: EndpointRemovalService,
    readonly demos: DemoExpiry,
    readonly clock: DatabaseClock,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'demoSessionTtlMs'>,
  ) {}

  /** Lifetime of a demo session in milliseconds; 0 for unlimited. */
  get demoTtl(): number {
    return this.environment.demoSessionTtlMs;
  }
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
