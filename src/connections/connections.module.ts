import { Module } from '@nestjs/common';
import { SyncModule } from '../sync/sync.module';
import { ConnectionListingModule } from './connection-listing.module';
import { ConnectionsController } from './connections.controller';
import { ConnectionsService } from './connections.service';

@Module({
  imports: [SyncModule, ConnectionListingModule],
  controllers: [ConnectionsController],
  providers: [ConnectionsService],
})
export class ConnectionsModule {}
