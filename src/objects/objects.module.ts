import { Module } from '@nestjs/common';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { FilteredListingsService } from './filtered-listings.service';
import { HistoryService } from './history/history.service';
import { VersionRetention } from './history/version-retention';
import { ObjectsController } from './objects.controller';
import { ObjectsService } from './objects.service';
import { SingleReadsService } from './single-reads.service';

@Module({
  imports: [CustomerTimesModule],
  controllers: [ObjectsController],
  providers: [ObjectsService, FilteredListingsService, SingleReadsService, HistoryService, VersionRetention],
})
export class ObjectsModule {}
