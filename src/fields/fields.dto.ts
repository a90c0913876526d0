import { isJsonObject, ownCodecNames, ownFieldLimits, ownMember, type OwnCodec } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { UnlessNull } from '../common/validation/json-object.validator';
import { IsWords } from '../common/validation/reason.decorators';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import { orNull } from '../common/openapi/schemas/nullable-schemas';
import { ForEachPlatform } from '../common/openapi/for-each-platform.decorator';

const EXPECTED_CODEC = `codec must be one of ${ownCodecNames.join(', ')}, or { "one_of": [values] }`;
const EXPECTED_PLACES =
  'platforms must be an object with { "path": text, "writable": true or false } for each platform';

/** A schema that allows no other members, which Nest's type of its options leaves out. */
const fieldPlace = { name: 'FieldPlace', additionalProperties: false };

/** Where a platform has an own field. */
@ApiSchema(fieldPlace)
export class FieldPlaceDto {
  @ApiProperty({
    maxLength: ownFieldLimits.path,
    description:
      'Path in the platform’s record, members joined by dots: `costCenter`, or `custom_fields.custom_field_123` for a custom field of platform_a.',
  })
  path: string;

  @ApiPropertyOptional({
    default: false,
    description:
      'Whether changes are written there. If the platform does not accept one, the response says so.',
  })
  writable?: boolean;
}

/** One of a list of words. */
@ApiSchema({ name: 'OneOfCodec' })
export class OneOfCodecDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: ownFieldLimits.values,
    description:
      'The words, the same in canonical form and on every platform. Another value on a platform reads as `unknown`.',
  })
  one_of: string[];
}

/** Where an own field stands on each platform. */
@ApiSchema({ name: 'FieldPlaces' })
@ForEachPlatform(ApiPropertyOptional({ type: FieldPlaceDto }))
export class FieldPlacesDto {}

/** The schema of a codec, in requests and answers. */
export const codecSchema = {
  anyOf: [{ type: 'string', enum: [...ownCodecNames] }, { $ref: '#/components/schemas/OneOfCodec' }],
  description: 'What the values are. Money is in the currency of the record.',
};

/** Body of `PUT /fields/{entity_type}/{name}`. */
export class FieldDto extends TermReasonDto {
  @ApiProperty(codecSchema)
  @ValidateBy({ name: 'isCodec', validator: { validate: isCodec, defaultMessage: () => EXPECTED_CODEC } })
  codec: OwnCodec;

  @ApiPropertyOptional({
    ...orNull({ type: 'string', maxLength: ownFieldLimits.label }),
    description: 'What the field means, for people. Unset or null for no label.',
  })
  @UnlessNull()
  @IsWords(ownFieldLimits.label, 'label must say something')
  label?: string | null;

  @ApiProperty({ type: FieldPlacesDto, description: 'Where each platform has it: at least one.' })
  @ValidateBy({
    name: 'arePlaces',
    validator: { validate: arePlaces, defaultMessage: () => EXPECTED_PLACES },
  })
  platforms: Readonly<Record<string, FieldPlaceDto>>;
}

function isCodec(value: unknown): boolean {
  if (typeof value === 'string') return ownCodecNames.some((name) => name === value);
  if (!isJsonObject(value)) return false;
  const words = ownMember(value, 'one_of');
  return Array.isArray(words) && words.every((word) => typeof word === 'string');
}

function arePlaces(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isPlace);
}

function isPlace(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const writable = ownMember(value, 'writable');
  return (
    typeof ownMember(value, 'path') === 'string' && (writable === undefined || typeof writable === 'boolean')
  );
}
