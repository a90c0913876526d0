import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { eventTypes, type EventType } from '../records/events/event-types';
import { nullableText, nullableTime, orNull } from '../common/openapi/schemas/nullable-schemas';

/** An address to which events are delivered. */
@ApiSchema({ name: 'WebhookEndpoint' })
export class EndpointResponse {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ format: 'uri' })
  readonly url: string;

  @ApiProperty({
    enum: eventTypes,
    isArray: true,
    description: 'The types of events that it gets; empty for all.',
  })
  readonly types: readonly EventType[];

  @ApiProperty(nullableText)
  readonly description: string | null;

  @ApiProperty({ description: 'Whether events are delivered.' })
  readonly enabled: boolean;

  @ApiProperty({ ...nullableText, description: 'Why the service has disabled it; null if it has not.' })
  readonly disabled_reason: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({
    ...nullableTime,
    description: 'Since when no attempt has succeeded; null if the last one has, and before the first.',
  })
  readonly failing_since: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Deliveries that wait for an attempt, or for an earlier event of their object.',
  })
  readonly waiting: number;

  @ApiPropertyOptional({
    pattern: '^whsec_',
    description:
      'The secret that verifies deliveries, in the form of Standard Webhooks. It is shown when it is made, and never again.',
  })
  readonly secret?: string;
}

/** An attempt to deliver an event. */
@ApiSchema({ name: 'WebhookDelivery' })
export class DeliveryResponse {
  @ApiProperty({ type: 'integer', description: 'Its number at this endpoint.' })
  readonly number: number;

  @ApiProperty({ ...nullableText, description: 'ID of the event; null if the event is no longer kept.' })
  readonly event_id: string | null;

  @ApiProperty({
    ...orNull({ type: 'string', enum: [...eventTypes] }),
    description: 'Type of the event; null if the event is no longer kept.',
  })
  readonly type: string | null;

  @ApiProperty({ type: 'integer', description: 'Number of this attempt at the delivery, from 1.' })
  readonly attempt: number;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty({
    type: 'integer',
    description: 'Milliseconds until the response, or until the attempt ended without one.',
  })
  readonly duration_ms: number;

  @ApiProperty({
    enum: ['delivered', 'failed', 'dropped'],
    description: '`failed` if another attempt follows, `dropped` if none does.',
  })
  readonly outcome: string;

  @ApiProperty({
    ...orNull({ type: 'integer' }),
    description: 'Status of the response; null if there was none.',
  })
  readonly status: number | null;

  @ApiProperty({
    ...nullableText,
    description: 'Why there was no response, or why it does not count as received.',
  })
  readonly error: string | null;

  @ApiProperty({ ...nullableText, description: 'The first kilobyte of the response as text.' })
  readonly response: string | null;

  @ApiProperty({ ...nullableTime, description: 'When the next attempt is due; null if there is none.' })
  readonly next_try_at: string | null;
}

/** The events that are sent again. */
@ApiSchema({ name: 'WebhookResend' })
export class ResendResponse {
  @ApiProperty({ enum: ['event', 'since'] })
  readonly resending: string;
}
