import {
  platformNames,
  storedEntityTypes,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { IfPresent, IsJsonObject } from '../http/json-object.validator';

export const changeFormats = ['canonical', 'platform'] as const;

const inFormat = (format: (typeof changeFormats)[number]) => (dto: PropagateDto) => dto.format === format;

/** Body of `POST /propagate`. */
export class PropagateDto {
  /** Whether `data` holds canonical fields or a platform's own. */
  @IsIn(changeFormats, { message: `format must be one of ${changeFormats.join(', ')}` })
  format: (typeof changeFormats)[number];

  @IsIn(storedEntityTypes, { message: `entity_type must be one of ${storedEntityTypes.join(', ')}` })
  entity_type: StoredEntityType;

  /** In canonical format: the object to change. */
  @ValidateIf(inFormat('canonical'))
  @IsString()
  canonical_id?: string;

  /** In platform format: the platform whose record changes. */
  @ValidateIf(inFormat('platform'))
  @IsIn(platformNames, { message: `platform must be one of ${platformNames.join(', ')}` })
  platform?: PlatformName;

  /** In platform format: the record's native ID, as a string. */
  @ValidateIf(inFormat('platform'))
  @IsString()
  platform_id?: string;

  /** The fields to change: a JSON merge patch. */
  @IsJsonObject()
  data: JsonObject;

  @IfPresent()
  @IsJsonObject()
  context?: JsonObject;
}
