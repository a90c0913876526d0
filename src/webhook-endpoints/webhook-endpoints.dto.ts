import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { IsCursor, IsPageSize } from '../common/validation/page-parameters.decorators';
import { IsTimeParameter } from '../common/validation/time-parameter.decorator';
import { IfPresent, UnlessNull } from '../common/validation/json-object.validator';
import { orNull } from '../common/openapi/schemas/nullable-schemas';
import { eventTypes, type EventType } from '../records/events/event-types';
import { LONGEST_URL } from './address/endpoint-url';

/** The longest description of an endpoint. */
const LONGEST_DESCRIPTION = 500;

const url = {
  type: String,
  format: 'uri',
  maxLength: LONGEST_URL,
  example: 'https://example.com/hooks/translation',
  description:
    'Where events are posted: an `https` address of the public internet, without user name, password and fragment.',
} as const;

const types = {
  enum: eventTypes,
  isArray: true,
  maxItems: eventTypes.length,
  description:
    'The types of events that the endpoint gets. Empty for all types, including those of later versions.',
} as const;

const description = {
  ...orNull({ type: 'string', maxLength: LONGEST_DESCRIPTION }),
  description: 'What the endpoint is for; null for no description.',
} as const;

const enabled = { type: Boolean, description: 'Whether events are delivered.' } as const;

/** The rules of a list of types. */
function AreEventTypes(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMaxSize(eventTypes.length),
    IsIn(eventTypes, { each: true, message: `each of types must be one of ${eventTypes.join(', ')}` }),
  );
}

/** Body of `POST /webhook-endpoints`. */
export class EndpointDto {
  @ApiProperty(url)
  @IsString()
  url: string;

  @ApiPropertyOptional({ ...types, default: [] })
  @IfPresent()
  @AreEventTypes()
  types?: EventType[];

  @ApiPropertyOptional(description)
  @UnlessNull()
  @IsString()
  @MaxLength(LONGEST_DESCRIPTION)
  description?: string | null;

  @ApiPropertyOptional({ ...enabled, default: true })
  @IfPresent()
  @IsBoolean()
  enabled?: boolean;
}

/** Body of `PATCH /webhook-endpoints/{id}`. Absent members leave the settings unchanged. */
export class EndpointChangeDto {
  @ApiPropertyOptional(url)
  @IfPresent()
  @IsString()
  url?: string;

  @ApiPropertyOptional(types)
  @IfPresent()
  @AreEventTypes()
  types?: EventType[];

  @ApiPropertyOptional(description)
  @UnlessNull()
  @IsString()
  @MaxLength(LONGEST_DESCRIPTION)
  description?: string | null;

  @ApiPropertyOptional(enabled)
  @IfPresent()
  @IsBoolean()
  enabled?: boolean;
}

/** Body of `POST /webhook-endpoints/{id}/resend`: one of the two. */
export class ResendDto {
  @ApiPropertyOptional({ type: String, description: 'ID of the one event to send again.' })
  @IfPresent()
  @IsString()
  event_id?: string;

  @IsTimeParameter(
    'Sends all events from this time on again. A date without a time means the start of that day in the customer’s time zone.',
  )
  since?: string;
}

/** Query of `GET /webhook-endpoints/{id}/deliveries`. */
export class DeliveriesQuery {
  @IsPageSize('Maximum number of attempts on a page.')
  limit?: number;

  @IsCursor()
  cursor?: string;
}
