import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CanonicalObjectRow } from '../database/entities/canonical-object.entity';
import { PlatformRecordRow } from '../database/entities/platform-record.entity';
import { CanonicalObjectsRepository } from './objects/canonical-objects.repository';
import { PlatformRecordsRepository } from './platform-records/platform-records.repository';

/** Objects and their records, as they are stored. */
@Module({
  imports: [TypeOrmModule.forFeature([CanonicalObjectRow, PlatformRecordRow])],
  providers: [CanonicalObjectsRepository, PlatformRecordsRepository],
  exports: [CanonicalObjectsRepository, PlatformRecordsRepository],
})
export class RecordsModule {}
