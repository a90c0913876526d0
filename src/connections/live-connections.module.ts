import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../platforms/connectors.module';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { SyncRunsModule } from '../sync/sync.module';
import { ConnectionListingModule } from './connection-listing.module';
import { LiveConnectionsService } from './live-connections.service';

/** Starts and ends live connections, for operators. */
@Module({
  imports: [ConnectorsModule, CredentialsModule, ConnectionListingModule, SyncRunsModule],
  providers: [LiveConnectionsService],
  exports: [LiveConnectionsService],
})
export class LiveConnectionsModule {}
