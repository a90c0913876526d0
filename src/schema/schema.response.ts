import {
  entityTypes,
  fieldTypes,
  fieldUnits,
  platformNames,
  type DescribedField,
  type DescribedResource,
  type DescribedType,
  type EntityType,
  type FieldType,
  type FieldUnit,
  type PlatformName,
} from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  FieldOnPlatformResponse,
  variantProperty,
} from '../common/openapi/shapes/field-on-platform.response';
import { orNull } from '../common/openapi/schemas/nullable-schemas';

/** A canonical field. */
@ApiSchema({ name: 'FieldSchema' })
class FieldSchemaResponse implements DescribedField {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly description: string;

  @ApiProperty({ enum: fieldTypes })
  readonly type: FieldType;

  @ApiProperty({ type: String, nullable: true, description: 'A format of JSON Schema, where there is one.' })
  readonly format: string | null;

  @ApiProperty({
    ...orNull({ type: 'string', enum: [...fieldUnits] }),
    description:
      'What a number counts: `minor_units` of the currency that the value names, or one of the others. Null where it has no unit.',
  })
  readonly unit: FieldUnit | null;

  @ApiProperty({ description: 'What a value looks like, in the words of errors.' })
  readonly expects: string;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The values of a closed set; null for other types.',
  })
  readonly words: readonly string[] | null;

  @ApiProperty({
    ...orNull({ type: 'string', enum: [...entityTypes] }),
    description: 'The type that a reference names; null for other fields.',
  })
  readonly refers_to: EntityType | null;

  @ApiProperty({ description: 'Whether a change may set it to null.' })
  readonly can_be_null: boolean;

  @ApiProperty({
    ...orNull({ type: 'array', items: { type: 'string', enum: [...platformNames] } }),
    description:
      'The platforms that have the field, in the order in which their values count for the customer. Null where each platform keeps its own.',
  })
  readonly counts: readonly PlatformName[] | null;

  @ApiProperty({
    type: [FieldOnPlatformResponse],
    description: 'Where the platforms have it. A platform without the field is absent.',
  })
  readonly on: readonly FieldOnPlatformResponse[];
}

/** A resource of a platform that holds records of a type. */
@ApiSchema({ name: 'ResourceSchema' })
class ResourceSchemaResponse implements DescribedResource {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty(variantProperty)
  readonly variant: string | null;

  @ApiProperty({ description: 'The platform’s name of the resource.' })
  readonly resource: string;

  @ApiProperty({
    type: [String],
    description: 'Canonical fields that a new record must have a value for.',
  })
  readonly required_to_create: readonly string[];
}

/** A canonical type, as the customer may read and write it. */
@ApiSchema({ name: 'TypeSchema' })
export class TypeSchemaResponse implements DescribedType {
  @ApiProperty({ enum: entityTypes })
  readonly entity_type: EntityType;

  @ApiProperty({
    description: 'Whether objects of the type are stored and can be changed. The others are translated only.',
  })
  readonly stored: boolean;

  @ApiProperty({ type: [ResourceSchemaResponse] })
  readonly resources: readonly ResourceSchemaResponse[];

  @ApiProperty({ type: [FieldSchemaResponse] })
  readonly fields: readonly FieldSchemaResponse[];
}
