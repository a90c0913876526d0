import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionRow } from '../database/entities/connection.entity';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { ConnectionListingService } from './connection-listing.service';

/** The listing of connections, without the services that create them. */
@Module({
  imports: [TypeOrmModule.forFeature([ConnectionRow])],
  providers: [ConnectionsRepository, ConnectionListingService],
  exports: [ConnectionsRepository, ConnectionListingService],
})
export class ConnectionListingModule {}
