import {
  platformNames,
  storedEntityTypes,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import { IfPresent, IsJsonObject } from '../common/validation/json-object.validator';
import { IsDecider, IsReason, LONGEST } from '../common/validation/reason.decorators';
import { PropagateContextDto } from '../common/openapi/shapes/mapper-context.dto';
import { IsOneOf } from '../common/validation/one-of.decorator';

const changeFormats = ['canonical', 'platform'] as const;

const inFormat = (format: (typeof changeFormats)[number]) => (dto: PropagateDto) => dto.format === format;

/** Body of `POST /propagate`. */
export class PropagateDto {
  /** Whether `data` holds canonical fields or a platform's own. */
  @IsOneOf(changeFormats)
  format: (typeof changeFormats)[number];

  @ApiProperty({ enum: storedEntityTypes, description: 'What is changed.' })
  @IsOneOf(storedEntityTypes)
  entity_type: StoredEntityType;

  /** In canonical format: the object to change. */
  @ValidateIf(inFormat('canonical'))
  @IsString()
  canonical_id?: string;

  /** In platform format: the platform whose record changes. */
  @ValidateIf(inFormat('platform'))
  @IsOneOf(platformNames)
  platform?: PlatformName;

  /** In platform format: the record's native ID, as a string. */
  @ValidateIf(inFormat('platform'))
  @IsString()
  platform_id?: string;

  /** The fields to change: a JSON merge patch. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The fields to change, as a JSON merge patch (RFC 7396): null clears a field. Canonical fields and money in canonical format, the platform’s own names and values in platform format. A canonical field that does not exist or is read-only is refused.',
  })
  @IsJsonObject()
  data: JsonObject;

  @ApiPropertyOptional({ type: PropagateContextDto, description: 'A rate for this change alone.' })
  @IfPresent()
  @IsJsonObject()
  context?: JsonObject;

  @ApiPropertyOptional({
    description:
      'Whether connected platforms that lack the record get it. A contract, an invoice or a payment is created only with `true`; a project or customer is created unless this is `false`. The customer’s rule `create_missing` may say otherwise: `always` creates without asking, `never` creates nothing, whatever the request says.',
  })
  @IfPresent()
  @IsBoolean({ message: 'create_missing must be true or false' })
  create_missing?: boolean;

  @ApiPropertyOptional({
    description:
      'Why the change is made, in the words of who decides. It is stored and shown with the change.',
    maxLength: LONGEST.reason,
  })
  @IfPresent()
  @IsReason()
  reason?: string;

  @ApiPropertyOptional({
    description: 'Who decided it: a name that the customer’s people know.',
    maxLength: LONGEST.decidedBy,
  })
  @IfPresent()
  @IsDecider()
  decided_by?: string;

  @ApiPropertyOptional({
    description:
      'Returns what the change would do, without doing it: nothing is stored, and nothing is sent.',
  })
  @IfPresent()
  @IsBoolean({ message: 'dry_run must be true or false' })
  dry_run?: boolean;
}

const inBothFormats = [
  'entity_type',
  'data',
  'context',
  'create_missing',
  'reason',
  'decided_by',
  'dry_run',
] as const;

/** The body in canonical format, for the API description. */
export class CanonicalChange extends PickType(PropagateDto, inBothFormats) {
  @ApiProperty({ enum: ['canonical'], description: '`data` holds canonical fields.' })
  format: 'canonical';

  @ApiProperty({ description: 'The object to change: its canonical ID, or an alias of it.' })
  canonical_id: string;
}

/** The body in platform format, for the API description. */
export class PlatformChange extends PickType(PropagateDto, inBothFormats) {
  @ApiProperty({ enum: ['platform'], description: '`data` holds a platform’s own fields.' })
  format: 'platform';

  @ApiProperty({ enum: platformNames, description: 'The platform whose record changes.' })
  platform: PlatformName;

  @ApiProperty({ description: 'Native ID of the record, as a string.' })
  platform_id: string;
}
