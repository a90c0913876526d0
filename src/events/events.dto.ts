import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsBoundCursor, IsPageSize } from '../common/validation/page-parameters.decorators';
import { IsTimeParameter } from '../common/validation/time-parameter.decorator';
import { IfPresent } from '../common/validation/json-object.validator';
import { IsOneOf } from '../common/validation/one-of.decorator';
import { eventTypes, type EventType } from '../records/events/event-types';

/** Query of `GET /events`. */
export class EventsQuery {
  @ApiPropertyOptional({ enum: eventTypes, description: 'Only events of this type.' })
  @IfPresent()
  @IsOneOf(eventTypes)
  type?: EventType;

  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'Only events about objects of this type.' })
  @IfPresent()
  @IsOneOf(storedEntityTypes)
  entity_type?: StoredEntityType;

  @ApiPropertyOptional({ type: String, description: 'Only events about the object with this ID.' })
  @IfPresent()
  @IsString()
  canonical_id?: string;

  @IsTimeParameter(
    'Only events from this time on. A date without a time means the start of that day in the customer’s time zone.',
  )
  since?: string;

  @IsPageSize('Maximum number of events on a page.')
  limit?: number;

  @IsBoundCursor()
  cursor?: string;
}
