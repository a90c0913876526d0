import { platformNames, type JsonObject, type JsonValue, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Origin } from '../../../records/history/change-origins.repository';
import { anyValue } from '../schemas/schema-names';

const origins = ['run', 'propagation', 'outcome', 'decision', 'terms', 'removal', 'unknown'] as const;

/** Where a change came from. */
export class OriginResponse implements Origin {
  @ApiProperty({
    enum: origins,
    description:
      '`run`: a platform was read. `propagation`: a change through this service. `outcome`: a later outcome of such a change on a platform. `decision`: a person decided about links. `terms`: what was agreed with the customer. `removal`: a connection was removed. `unknown`: from before changes were kept.',
  })
  readonly type: Origin['type'];

  @ApiPropertyOptional({ format: 'uuid' })
  readonly run_id?: string;

  @ApiPropertyOptional({ enum: platformNames, description: 'The platform that was read.' })
  readonly platform?: PlatformName;

  @ApiPropertyOptional({ format: 'uuid', description: 'For `GET /propagations/{id}`.' })
  readonly propagation_id?: string;

  @ApiPropertyOptional({ description: 'ID of the request that made the propagation.' })
  readonly request_id?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly decision_id?: string;

  @ApiPropertyOptional({
    description:
      'The person who decided, or who withdrew the decision. For a propagation or its outcome: the person who decided the change, if its request named one.',
  })
  readonly decided_by?: string;

  @ApiPropertyOptional({
    description:
      'Why, in the words of that person. For a propagation or its outcome: the reason that its request gave.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'For `terms`: what was set.',
  })
  readonly detail?: JsonObject;
}

/** A record and its canonical object. */
export class PlatformMapping {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Native ID on that platform, as a string.' })
  readonly platform_id: string;
}

/** A canonical field that changed. */
export class FieldChangeResponse {
  @ApiProperty({
    description:
      'Canonical field. For native fields without a canonical field, and for lines: `provider_metadata.` and the platform. The values then have only those native fields that changed, and in `lines`, by native list, the lines that changed, each with its ID and the members that changed. 50 lines at most; `more_lines` says how many more changed.',
  })
  readonly field: string;

  @ApiPropertyOptional({ ...anyValue, description: 'Absent where the object did not have the field.' })
  readonly before?: JsonValue;

  @ApiPropertyOptional({ ...anyValue, description: 'Absent where the object no longer has the field.' })
  readonly after?: JsonValue;
}
