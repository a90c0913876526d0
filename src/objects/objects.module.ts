import { Module } from '@nestjs/common';
import { HistoryService } from './history/history.service';
import { VersionRetention } from './history/version-retention';
import { ListingsService } from './listing/listings.service';
import { ObjectsController } from './objects.controller';
import { SingleReadsService } from './single/single-reads.service';

@Module({
  controllers: [ObjectsController],
  providers: [ListingsService, SingleReadsService, HistoryService, VersionRetention],
})
export class ObjectsModule {}
