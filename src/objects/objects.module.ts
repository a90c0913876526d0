import { Module } from '@nestjs/common';
import { ChosenListingsService } from './chosen-listings.service';
import { HistoryService } from './history/history.service';
import { VersionRetention } from './history/version-retention';
import { ObjectsController } from './objects.controller';
import { ObjectsService } from './objects.service';
import { SingleReadsService } from './single-reads.service';

@Module({
  controllers: [ObjectsController],
  providers: [ObjectsService, ChosenListingsService, SingleReadsService, HistoryService, VersionRetention],
})
export class ObjectsModule {}
