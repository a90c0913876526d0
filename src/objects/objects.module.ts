import { Module } from '@nestjs/common';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { ColumnFill } from '../records/column-fill/column-fill';
import { HistoryService } from './history/history.service';
import { VersionRetention } from './history/version-retention';
import { ListingsService } from './listing/listings.service';
import { ObjectsController } from './objects.controller';
import { SingleReadsService } from './single/single-reads.service';

@Module({
  imports: [CustomerTimesModule],
  controllers: [ObjectsController],
  providers: [ListingsService, SingleReadsService, HistoryService, VersionRetention, ColumnFill],
})
export class ObjectsModule {}
