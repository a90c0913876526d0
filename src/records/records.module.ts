import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CanonicalObjectRow } from '../database/entities/canonical-object.entity';
import { ConnectionRow } from '../database/entities/connection.entity';
import { PlatformRecordRow } from '../database/entities/platform-record.entity';
import { ConnectionsRepository } from './connections/connections.repository';
import { CanonicalObjectsRepository } from './objects/canonical-objects.repository';
import { PlatformRecordsRepository } from './platform-records/platform-records.repository';

/** Objects, their records, and the connections through which these were read, as they are stored. */
@Module({
  imports: [TypeOrmModule.forFeature([CanonicalObjectRow, ConnectionRow, PlatformRecordRow])],
  providers: [CanonicalObjectsRepository, ConnectionsRepository, PlatformRecordsRepository],
  exports: [CanonicalObjectsRepository, ConnectionsRepository, PlatformRecordsRepository],
})
export class RecordsModule {}
