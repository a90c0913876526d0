import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CanonicalObjectRow } from '../database/entities/canonical-object.entity';
import { CsvFilesModule } from '../common/csv/csv-files.module';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { ColumnFill } from '../records/column-fill/column-fill';
import { RecordsFileService } from './files/records-file.service';
import { HistoryService } from './history/history.service';
import { VersionRetention } from './history/version-retention';
import { ListingsService } from './listing/listings.service';
import { ObjectsController } from './objects.controller';
import { ObjectRecordsRepository } from './single/object-records.repository';
import { SingleReadsService } from './single/single-reads.service';

@Module({
  imports: [CustomerTimesModule, CsvFilesModule, TypeOrmModule.forFeature([CanonicalObjectRow])],
  controllers: [ObjectsController],
  providers: [
    ObjectRecordsRepository,
    ListingsService,
    RecordsFileService,
    SingleReadsService,
    HistoryService,
    VersionRetention,
    ColumnFill,
  ],
  exports: [ListingsService, SingleReadsService],
})
export class ObjectsModule {}
