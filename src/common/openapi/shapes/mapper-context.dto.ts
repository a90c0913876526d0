import { entityTypes, platformNames, variantsOf, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { orNull } from '../schemas/nullable-schemas';

/** A rate for one request alone. */
export class RateQuoteDto {
  @ApiProperty({ description: 'ISO 4217 code.', examples: ['USD'] })
  readonly from: string;

  @ApiProperty({ description: 'ISO 4217 code.', examples: ['QAR'] })
  readonly to: string;

  @ApiProperty({
    description: 'Units of `to` for one `from`: positive decimal text of at most 40 characters.',
    pattern: '^\\d+(\\.\\d+)?$',
    maxLength: 40,
    examples: ['3.64'],
  })
  readonly rate: string;
}

/** A native ID of a canonical object, as `/objects` lists it. */
export class KnownMappingDto {
  @ApiProperty({ description: 'The object.' })
  readonly canonical_id: string;

  @ApiProperty({ enum: platformNames, description: 'The platform.' })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'The native ID of the object’s record on that platform.' })
  readonly platform_id: string;
}

const variants = platformNames.flatMap((platform) =>
  entityTypes.flatMap((entityType) => variantsOf(platform, entityType) ?? []),
);

/** Additional input of a preview. Unknown members are ignored; null equals an absent member. */
export class TransformContextDto {
  @ApiPropertyOptional({
    description: variants.map(({ meaning }) => meaning).join(' '),
    ...orNull({
      type: 'string',
      enum: [...new Set(variants.flatMap((each) => Object.keys(each.variants)))],
    }),
  })
  readonly commitmentType?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Currency of a record that names none (ISO 4217).',
    examples: ['USD'],
  })
  readonly currency?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'Currency to convert amounts into (ISO 4217). Without effect if source and target are one platform.',
    examples: ['QAR'],
  })
  readonly targetCurrency?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    type: RateQuoteDto,
    description: 'The rate for that conversion. Required if no official peg exists.',
  })
  readonly exchangeRate?: RateQuoteDto | null;

  @ApiPropertyOptional({
    nullable: true,
    type: [KnownMappingDto],
    description:
      'Native and canonical IDs of the records that this record refers to, as `/objects` returns them.',
  })
  readonly mappings?: readonly KnownMappingDto[] | null;

  @ApiPropertyOptional({
    nullable: true,
    type: 'object',
    description:
      'The `provider_metadata` of an earlier response. With it the translation back restores the whole original record.',
    additionalProperties: true,
  })
  readonly provider_metadata?: object | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'True for a `metadata.report`. It shows the outcome of every native field of the record, and the origin of every native field of the result.',
  })
  readonly report?: boolean | null;
}

/** Additional input of a propagation. Unknown members are ignored; null equals an absent member. */
export class PropagateContextDto {
  @ApiPropertyOptional({
    nullable: true,
    type: RateQuoteDto,
    description: 'A rate for this change only. It takes precedence over all other rates.',
  })
  readonly exchangeRate?: RateQuoteDto | null;
}
