import { platformNames, type DescribedAccess, type DescribedPath, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The kind of record, where a platform has several. */
export const variantProperty = {
  type: String,
  nullable: true,
  description: 'The kind of record, where the platform has several for the type; else null.',
} as const;

/** A native field of a canonical one. */
@ApiSchema({ name: 'NativePath' })
class NativePathResponse implements DescribedPath {
  @ApiProperty({ description: 'Path in the platform’s record, members joined by dots.' })
  readonly path: string;

  @ApiProperty({ description: 'What the value looks like there, in words for people.' })
  readonly holds: string;
}

/** A canonical field on one resource of a platform. */
@ApiSchema({ name: 'FieldOnPlatform' })
export class FieldOnPlatformResponse implements DescribedAccess {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty(variantProperty)
  readonly variant: string | null;

  @ApiProperty({
    type: [NativePathResponse],
    description: 'The native fields, the best first. None where all records have the same value.',
  })
  readonly paths: readonly NativePathResponse[];

  @ApiProperty({ description: 'Whether a new record can be given a value.' })
  readonly when_creating: boolean;

  @ApiProperty({
    description:
      'Whether an existing record can be given another value. A platform may lock single records all the same.',
  })
  readonly when_changing: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Why it is not written at one of these times, or on which condition it is: a clause with the field as its subject. Null where it is written at both.',
  })
  readonly why: string | null;
}
