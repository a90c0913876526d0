import { Module } from '@nestjs/common';
import { OutcomesModule } from '../outbox/outcome/outcomes.module';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { RecordsModule } from '../records/records.module';
import { SyncRunsModule } from '../sync/sync.module';
import { ConnectionListingModule } from './connection-listing.module';
import { LiveConnectionsService } from './live-connections.service';

/** Starts and ends live connections, for operators. */
@Module({
  imports: [OutcomesModule, CredentialsModule, ConnectionListingModule, RecordsModule, SyncRunsModule],
  providers: [LiveConnectionsService],
  exports: [LiveConnectionsService],
})
export class LiveConnectionsModule {}
