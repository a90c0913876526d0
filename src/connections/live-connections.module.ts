import { Module } from '@nestjs/common';
import { MatchingDecisionsModule } from '../matching/decisions/matching-decisions.module';
import { OutcomesModule } from '../outbox/outcome/outcomes.module';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { RecordsModule } from '../records/records.module';
import { SyncRunsModule } from '../sync/sync.module';
import { ConnectionListingModule } from './connection-listing.module';
import { LiveConnectionsService } from './live-connections.service';

/** Starts and ends live connections, for operators. */
@Module({
  imports: [
    OutcomesModule,
    CredentialsModule,
    ConnectionListingModule,
    MatchingDecisionsModule,
    RecordsModule,
    SyncRunsModule,
  ],
  providers: [LiveConnectionsService],
  exports: [LiveConnectionsService],
})
export class LiveConnectionsModule {}
