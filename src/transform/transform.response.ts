import { entityTypes, platformNames, type EntityType, type JsonObject, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConversionResponse, ReferencesResponse } from '../common/openapi/shapes/mapper.responses';
import { LossReportResponse } from './loss-report.response';
import { schema } from '../common/openapi/schemas/schema-names';

/** What an answer says about a preview. */
export class TransformMetadata {
  @ApiProperty({ enum: platformNames })
  readonly source: PlatformName;

  @ApiProperty({ enum: platformNames })
  readonly target: PlatformName;

  @ApiProperty({ enum: entityTypes })
  readonly entity_type: EntityType;

  @ApiProperty({ description: 'Version of the canonical model.', examples: ['1.0'] })
  readonly canonical_version: string;

  @ApiProperty({ format: 'date-time', description: 'When it was translated: ISO 8601, UTC.' })
  readonly transformed_at: string;

  @ApiProperty({ description: 'Equals the `X-Request-ID` header.', pattern: '^req_[0-9A-Za-z]+$' })
  readonly request_id: string;

  @ApiPropertyOptional({
    type: ReferencesResponse,
    description:
      'How the record’s references were resolved. Absent if it has none, or if source and target are equal.',
  })
  readonly references?: ReferencesResponse;

  @ApiPropertyOptional({
    type: ConversionResponse,
    description: 'How amounts were converted. Absent when no conversion was asked for.',
  })
  readonly conversion?: ConversionResponse;

  @ApiPropertyOptional({
    type: LossReportResponse,
    description: 'The outcome of each field. Present when `context.report` is true.',
  })
  readonly report?: LossReportResponse;
}

/** What a preview answers. */
export class TransformResult {
  @ApiProperty({ ...schema('CanonicalObject'), description: 'The record in canonical form.' })
  readonly canonical: JsonObject;

  @ApiProperty({ ...schema('PlatformPayload'), description: 'The record as the target would show it.' })
  readonly data: JsonObject;

  @ApiProperty({ type: TransformMetadata })
  readonly metadata: TransformMetadata;
}
