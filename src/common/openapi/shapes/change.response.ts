import { platformNames, type JsonObject, type JsonValue, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Origin } from '../../../records/history/change-origins.repository';
import { anyValue } from '../schemas/schema-names';

const origins = ['run', 'propagation', 'outcome', 'decision', 'terms', 'removal', 'unknown'] as const;

/** Where a change came from. */
@ApiSchema({ name: 'OriginAnswer' })
export class OriginResponse implements Origin {
  @ApiProperty({
    enum: origins,
    description:
      '`run`: a platform was read. `propagation`: a change through this service. `outcome`: what a platform said of one later. `decision`: a person’s about links. `terms`: what was agreed with the customer. `removal`: a connection was removed. `unknown`: from before changes were kept.',
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
      'The person who decided, or who withdrew the decision. Of a propagation or its outcome: who decided the change, where its request said so.',
  })
  readonly decided_by?: string;

  @ApiPropertyOptional({
    description: 'Why, in the words of that person. Of a propagation or its outcome: as its request said.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Of terms: what was set.',
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
@ApiSchema({ name: 'FieldChangeAnswer' })
export class FieldChangeResponse {
  @ApiProperty({
    description:
      'Canonical field; `provider_metadata.` and a platform for native fields without a canonical home, of which those that changed are shown.',
  })
  readonly field: string;

  @ApiPropertyOptional({ ...anyValue, description: 'Absent where the object did not have the field.' })
  readonly before?: JsonValue;

  @ApiPropertyOptional({ ...anyValue, description: 'Absent where it does not have it any more.' })
  readonly after?: JsonValue;
}
