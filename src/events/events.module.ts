import { Module } from '@nestjs/common';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { ResponseMemoryModule } from '../common/response/memory/response-memory.module';
import { EventFeed } from '../records/events/event-feed';
import { EventRetention } from './event-retention';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

/** `/events`. */
@Module({
  imports: [CustomerTimesModule, ResponseMemoryModule],
  controllers: [EventsController],
  providers: [EventFeed, EventsService, EventRetention],
})
export class EventsModule {}
