import { Module, type DynamicModule } from '@nestjs/common';
import { AgreementsModule } from '../agreements/agreements.module';
import { AuthModule } from '../auth/auth.module';
import { ClockModule } from '../clock/clock.module';
import { ConfigModule } from '../config/config.module';
import type { Environment } from '../config/environment';
import { ConnectionListingModule } from '../connections/connection-listing.module';
import { LiveConnectionsModule } from '../connections/live-connections.module';
import { CredentialsModule } from '../credentials/credentials.module';
import { DatabaseModule } from '../database/database.module';
import { DemoExpiryModule } from '../demo/demo-expiry.module';
import { FairnessModule } from '../fairness/fairness.module';
import type { Logger } from '../logging/logger';
import { LoggingModule } from '../logging/logging.module';
import { MetricsModule } from '../metrics/metrics.module';
import { OutboxOperationsModule } from '../outbox/outbox-operations.module';
import { RatesModule } from '../rates/rates.module';
import { MatchingDecisions } from '../reconciliation/decisions/decisions.service';
import { CasesModule } from '../statement/statement.module';
import { StorageQuotaModule } from '../storage-quota/storage-quota.module';
import { SyncRunsModule } from '../sync/sync.module';
import { SubscriptionsModule } from '../webhooks/subscriptions.module';

/** What the operator's commands work with: the service's own parts, without HTTP. */
@Module({
  imports: [
    ClockModule,
    DatabaseModule,
    // Counts calls to platforms, for nobody: a command ends before anything reads them.
    MetricsModule,
    AuthModule,
    RatesModule,
    AgreementsModule,
    ConnectionListingModule,
    LiveConnectionsModule,
    CredentialsModule,
    OutboxOperationsModule,
    SubscriptionsModule,
    DemoExpiryModule,
    // Runs that a command waits for, without what a service does by itself.
    SyncRunsModule,
    FairnessModule,
    CasesModule,
    StorageQuotaModule,
  ],
  providers: [MatchingDecisions],
})
export class CliModule {
  static forRoot(environment: Environment, logger: Logger): DynamicModule {
    return { module: CliModule, imports: [ConfigModule.forRoot(environment), LoggingModule.forRoot(logger)] };
  }
}
