import { entityTypes, platformNames, type EntityType, type JsonObject, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TransformContextDto } from '../common/openapi/shapes/mapper-context.dto';
import { schema } from '../common/openapi/schemas/schema-names';
import { IfPresent, IsJsonObject } from '../common/validation/json-object.validator';
import { IsOneOf } from '../common/validation/one-of.decorator';

/** Body of `POST /transform`. */
export class TransformDto {
  @ApiProperty({ enum: platformNames, description: 'The platform whose shape `data` has.' })
  @IsOneOf(platformNames)
  source: PlatformName;

  @ApiProperty({ enum: platformNames, description: 'The platform to translate for; may equal `source`.' })
  @IsOneOf(platformNames)
  target: PlatformName;

  @ApiProperty({ enum: entityTypes, description: 'What the record is.' })
  @IsOneOf(entityTypes)
  entity_type: EntityType;

  /** The record in the source platform's shape. */
  @ApiProperty({
    ...schema('PlatformPayload'),
    description: 'The record in the shape of the source. A few known fields are enough.',
  })
  @IsJsonObject()
  data: JsonObject;

  /** What the mapper cannot know: see docs/api.md. */
  @ApiPropertyOptional({
    type: TransformContextDto,
    description: 'Facts that the record itself does not contain.',
  })
  @IfPresent()
  @IsJsonObject()
  context?: JsonObject;
}
