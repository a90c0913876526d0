import { entityTypes, type EntityType, type OwnCodec } from '@app/mapper';
import { ApiExtraModels, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { FieldOnPlatformResponse } from '../common/openapi/shapes/field-on-platform.response';
import { TermReasonResponse } from '../common/openapi/shapes/term-reason.response';
import { codecSchema, FieldPlacesDto, OneOfCodecDto, type FieldPlaceDto } from './fields.dto';

/** Whether stored records were read since the definition. */
const readingStatuses = ['reading', 'ready'] as const;

/** How far the reading of stored records has come. */
@ApiSchema({ name: 'FieldReading' })
class FieldReadingResponse {
  @ApiProperty({ type: 'integer', description: 'Stored records of the type, on all platforms.' })
  readonly total: number;

  @ApiProperty({ type: 'integer', description: 'Records that were read.' })
  readonly read: number;

  @ApiProperty({ type: 'integer', description: 'Of those, records that have a value in the field.' })
  readonly filled: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Of those, records whose value does not fit the codec. The object leaves it out, and a case names it.',
  })
  readonly unreadable: number;
}

/** A field of the customer’s own. */
@ApiSchema({ name: 'OwnField' })
@ApiExtraModels(OneOfCodecDto)
export class OwnFieldResponse extends TermReasonResponse {
  @ApiProperty({ enum: entityTypes })
  readonly entity_type: EntityType;

  @ApiProperty()
  readonly name: string;

  @ApiProperty({
    description: 'Its name in lists of fields, disagreements and history. Objects show it in `data.custom`.',
    example: 'custom.cost_center',
  })
  readonly field: string;

  @ApiProperty({ ...codecSchema, nullable: true })
  readonly codec: OwnCodec | null;

  @ApiProperty({ type: String, nullable: true })
  readonly label: string | null;

  @ApiProperty({ type: FieldPlacesDto, description: 'As it was defined; empty for a removed field.' })
  readonly platforms: Readonly<Record<string, FieldPlaceDto>>;

  @ApiProperty({
    type: [FieldOnPlatformResponse],
    description: 'Whether it can be written on each platform, and if not, why, as in `GET /schema`.',
  })
  readonly on: readonly FieldOnPlatformResponse[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when the definition applies; null for a removed field.',
  })
  readonly since: string | null;

  @ApiProperty({
    description: 'Whether the field was removed. It is listed until the stored records have been read again.',
  })
  readonly removed: boolean;

  @ApiProperty({
    enum: readingStatuses,
    description:
      '`ready` once the stored records have been read and the comparisons include the field. Reads and changes use the definition at once.',
  })
  readonly status: (typeof readingStatuses)[number];

  @ApiProperty({ type: FieldReadingResponse })
  readonly records: FieldReadingResponse;
}
