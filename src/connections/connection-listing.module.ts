import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionRow } from '../database/entities/connection.entity';
import { ConnectionListingService } from './connection-listing.service';

/** The listing of connections, without what it takes to make one. */
@Module({
  imports: [TypeOrmModule.forFeature([ConnectionRow])],
  providers: [ConnectionListingService],
  exports: [ConnectionListingService],
})
export class ConnectionListingModule {}
