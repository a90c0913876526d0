import type { JsonValue } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { anyValue } from '../common/openapi/schemas/schema-names';
import { callerMethods, type CallerResponse } from '../platforms/caller-request';
import type { StoredRequest } from './passthrough-requests.repository';
import type { PassthroughState } from './passthrough-states';

/** A platform's response to a request of the caller. */
export class PassthroughResponse implements CallerResponse {
  @ApiProperty({ type: 'integer', minimum: 200, maximum: 999, description: 'The platform’s own status.' })
  readonly status: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'By lower-case name: type of the body, entity tag, location, links and totals of pages, `retry-after`, and the platform’s own request IDs.',
  })
  readonly headers: Readonly<Record<string, string>>;

  @ApiProperty({
    ...anyValue,
    description:
      'The body as it came: JSON where it is JSON, otherwise its text; null without a body, and for one that is no UTF-8.',
  })
  readonly body: JsonValue;
}

/** A write that was sent to a platform as the caller composed it. */
export class PlatformRequestRecord {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ format: 'date-time', description: 'When it was sent.' })
  readonly at: string;

  @ApiProperty({ enum: callerMethods.filter((method) => method !== 'GET') })
  readonly method: string;

  @ApiProperty({ description: 'Without its query.' })
  readonly path: string;

  @ApiProperty({
    enum: ['sent', 'answered', 'not_sent'],
    description:
      '`answered`: the platform answered with `status`. `not_sent`: the platform has not seen it. `sent`: it is under way, or its answer was lost, so that nobody knows whether it was carried out.',
  })
  readonly state: PassthroughState;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The platform’s status; null without an answer.',
  })
  readonly status: number | null;

  @ApiProperty({ description: 'ID of the request to this service.' })
  readonly request_id: string;

  @ApiProperty({ format: 'uuid', description: 'ID of the API key that made the request.' })
  readonly key_id: string;
}

/** A stored request as the API shows it. */
export function shownRequest({
  id,
  sentAt,
  method,
  path,
  state,
  status,
  requestId,
  keyId,
}: StoredRequest): PlatformRequestRecord {
  return { id, at: sentAt, method, path, state, status, request_id: requestId, key_id: keyId };
}
