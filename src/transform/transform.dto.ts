import { entityTypes, platformNames, type EntityType, type JsonObject, type PlatformName } from '@app/mapper';
import { IsIn } from 'class-validator';
import { IfPresent, IsJsonObject } from '../http/json-object.validator';

/** Body of `POST /transform`. */
export class TransformDto {
  @IsIn(platformNames, { message: `source must be one of ${platformNames.join(', ')}` })
  source: PlatformName;

  @IsIn(platformNames, { message: `target must be one of ${platformNames.join(', ')}` })
  target: PlatformName;

  @IsIn(entityTypes, { message: `entity_type must be one of ${entityTypes.join(', ')}` })
  entity_type: EntityType;

  /** The record in the source platform's shape. */
  @IsJsonObject()
  data: JsonObject;

  /** What the mapper cannot know: see the README. */
  @IfPresent()
  @IsJsonObject()
  context?: JsonObject;
}
