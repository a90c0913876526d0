import { Module } from '@nestjs/common';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { AnswerMemoryModule } from '../common/response/memory/answer-memory.module';
import { EventFeed } from '../records/events/event-feed';
import { EventRetention } from './event-retention';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

/** `/events`. */
@Module({
  imports: [CustomerTimesModule, AnswerMemoryModule],
  controllers: [EventsController],
  providers: [EventFeed, EventsService, EventRetention],
})
export class EventsModule {}
