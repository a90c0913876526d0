import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsPageSize } from '../common/paging/page-size.decorator';
import { LONGEST_CURSOR, PAGE_SIZE } from '../common/paging/paging';
import { IsTime, timeSchema } from '../common/paging/time-parameter';
import { IfPresent } from '../common/validation/json-object.validator';
import { eventTypes, type EventType } from '../records/events/event-types';

/** Query of `GET /events`. */
export class EventsQuery {
  @ApiPropertyOptional({ enum: eventTypes, description: 'Only events of this type.' })
  @IfPresent()
  @IsIn(eventTypes, { message: `type must be one of ${eventTypes.join(', ')}` })
  type?: EventType;

  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'Only events about objects of this type.' })
  @IfPresent()
  @IsIn(storedEntityTypes, { message: `entity_type must be one of ${storedEntityTypes.join(', ')}` })
  entity_type?: StoredEntityType;

  @ApiPropertyOptional({ type: String, description: 'Only events about the object with this ID.' })
  @IfPresent()
  @IsString()
  canonical_id?: string;

  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'Only events from this time on. A date without a time means the start of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
  since?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_SIZE.most,
    default: PAGE_SIZE.usual,
    description: 'The most events that a page may hold.',
  })
  @IfPresent()
  @IsPageSize()
  limit?: number;

  @ApiPropertyOptional({
    maxLength: LONGEST_CURSOR,
    description:
      'Where the page begins: `next_cursor` of the page before it. The other parameters stay as they were, but for `limit`.',
  })
  @IfPresent()
  @IsString()
  cursor?: string;
}
