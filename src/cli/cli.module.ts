import { Module, type DynamicModule } from '@nestjs/common';
import { AttentionModule } from '../attention/attention.module';
import { AgreementsModule } from '../terms/agreements/agreements.module';
import { AuthModule } from '../auth/auth.module';
import { BackgroundModule } from '../runtime/background/background.module';
import { ClockModule } from '../runtime/clock/clock.module';
import { ConfigModule } from '../runtime/config/config.module';
import type { Environment } from '../runtime/config/environment';
import { ConnectionListingModule } from '../connections/connection-listing.module';
import { LiveConnectionsModule } from '../connections/live-connections.module';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { DatabaseModule } from '../database/database.module';
import { DemoExpiryModule } from '../demo/demo-expiry.module';
import { FairnessModule } from '../runtime/fairness/fairness.module';
import type { Logger } from '../runtime/logging/logger';
import { LoggingModule } from '../runtime/logging/logging.module';
import { MetricsModule } from '../runtime/metrics/metrics.module';
import { OutboxOperationsModule } from '../outbox/operator/outbox-operations.module';
import { OwnFieldsModule } from '../terms/own-fields/own-fields.module';
import { RatesModule } from '../terms/rates/rates.module';
import { Operator } from './operator';
import { MatchingDecisionsModule } from '../matching/decisions/matching-decisions.module';
import { CasesModule } from '../reconciliation/cases/cases.module';
import { StorageQuotaModule } from '../records/storage-quota/storage-quota.module';
import { SpansModule } from '../runtime/opentelemetry/spans.module';
import { CustomerRemovalModule } from '../sync/removal/customer-removal.module';
import { SyncRunsModule } from '../sync/sync.module';
import { EndpointListingModule } from '../webhook-endpoints/endpoint-listing.module';
import { SubscriptionsModule } from '../webhooks/subscriptions.module';

/** The parts of the service that operator commands use, without HTTP. */
@Module({
  imports: [
    ClockModule,
    // Parts of the service create background workers; a command starts none of them.
    BackgroundModule,
    DatabaseModule,
    // The connectors need the counters, although a command ends before anybody reads them.
    MetricsModule,
    SpansModule,
    AuthModule,
    RatesModule,
    AttentionModule,
    AgreementsModule,
    // Defines own fields. The service then reads the stored records for them.
    OwnFieldsModule,
    ConnectionListingModule,
    LiveConnectionsModule,
    CredentialsModule,
    OutboxOperationsModule,
    SubscriptionsModule,
    DemoExpiryModule,
    CustomerRemovalModule,
    // Runs that a command waits for, without the service's background work.
    SyncRunsModule,
    FairnessModule,
    CasesModule,
    StorageQuotaModule,
    MatchingDecisionsModule,
    EndpointListingModule,
  ],
  providers: [Operator],
})
export class CliModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: CliModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
