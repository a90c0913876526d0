import { Module } from '@nestjs/common';
import { RecordsModule } from '../records/records.module';
import { ConnectionListingService } from './connection-listing.service';

/** The listing of connections, without the services that create them. */
@Module({
  imports: [RecordsModule],
  providers: [ConnectionListingService],
  exports: [ConnectionListingService],
})
export class ConnectionListingModule {}
