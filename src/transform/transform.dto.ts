import { entityTypes, platformNames, type EntityType, type JsonObject, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { TransformContextDto } from '../common/openapi/shapes/mapper-context.dto';
import { schema } from '../common/openapi/schemas/schema-names';
import { IfPresent, IsJsonObject } from '../common/validation/json-object.validator';

/** Body of `POST /transform`. */
export class TransformDto {
  @ApiProperty({ enum: platformNames, description: 'The platform whose shape `data` has.' })
  @IsIn(platformNames, { message: `source must be one of ${platformNames.join(', ')}` })
  source: PlatformName;

  @ApiProperty({ enum: platformNames, description: 'The platform to translate for; may equal `source`.' })
  @IsIn(platformNames, { message: `target must be one of ${platformNames.join(', ')}` })
  target: PlatformName;

  @ApiProperty({ enum: entityTypes, description: 'What the record is.' })
  @IsIn(entityTypes, { message: `entity_type must be one of ${entityTypes.join(', ')}` })
  entity_type: EntityType;

  /** The record in the source platform's shape. */
  @ApiProperty({
    ...schema('PlatformPayload'),
    description: 'The record in the shape of the source. A few known fields are enough.',
  })
  @IsJsonObject()
  data: JsonObject;

  /** What the mapper cannot know: see docs/api.md. */
  @ApiPropertyOptional({ type: TransformContextDto, description: 'What the record itself does not say.' })
  @IfPresent()
  @IsJsonObject()
  context?: JsonObject;
}
