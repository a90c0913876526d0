import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Described } from '../common/openapi/described.decorator';
import type { Paged } from '../common/paging/paging';
import type { JsonText } from '../common/response/handler-results';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
import { ValidQuery } from '../common/validation/valid-input.decorators';
import { EventsQuery } from './events.dto';
import { ObjectEvent, OTHER_EVENTS } from './events.response';
import { EventsService } from './events.service';

@ApiTags('Events')
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Described({
    operationId: 'listEvents',
    summary: 'What happened, in order',
    description:
      'The feed of the customer’s events, oldest first, from the oldest event that is kept. Store `next_cursor`, which is never null, together with what you made of the page, and continue with it: each event comes once, in the order of `sequence`, even while new events are written. A page may end early, or be empty if a filter finds nothing among many events; `has_more` tells whether there are more.',
    answer: {
      type: ObjectEvent,
      orTypes: OTHER_EVENTS,
      isArray: true,
      paged: 'endless',
      description: 'The events.',
    },
    errors: {
      404: 'Events after the cursor are no longer kept, or a backup from before the cursor was restored: the reader would miss events.',
    },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: EventsQuery,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<JsonText>> {
    return this.events.list(customer.id, query, answer);
  }
}
