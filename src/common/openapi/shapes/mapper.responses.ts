import {
  platformNames,
  type Conversion,
  type PlatformName,
  type ReferenceReport,
  type ResolvedReference,
  type UnresolvedReference,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** How an amount was converted. */
export class ConversionResponse implements Conversion {
  @ApiProperty({ description: 'Currency of the value that was written (ISO 4217).' })
  readonly from: string;

  @ApiProperty({ description: 'Currency of the record it was written to (ISO 4217).' })
  readonly to: string;

  @ApiProperty({
    description: 'The rate as quoted: units of one currency for one of the other, decimal text.',
  })
  readonly rate: string;

  @ApiProperty({
    description: 'The source of the rate: the request, the customer’s agreed rates, or an official peg.',
  })
  readonly source: string;

  @ApiPropertyOptional({
    description: 'True when the quote names the pair in the opposite direction.',
    enum: [true],
    type: Boolean,
  })
  readonly inverted?: true;

  @ApiPropertyOptional({ description: 'The currency through which the pair was crossed.' })
  readonly via?: string;

  @ApiProperty({ description: 'How the result was rounded to the minor unit.', enum: ['half_even'] })
  readonly rounding: 'half_even';
}

/** A reference whose record on the target is known. */
export class ResolvedReferenceResponse implements ResolvedReference {
  @ApiProperty({ description: 'Canonical field of the reference.' })
  readonly field: string;

  @ApiProperty({ description: 'The object of the reference.' })
  readonly canonical_id: string;

  @ApiProperty({ description: 'Native ID of that object on the target.' })
  readonly platform_id: string;

  @ApiProperty({ description: 'Whether that native ID was written into the outgoing record.' })
  readonly injected: boolean;

  @ApiProperty({ description: 'Why it was written, or why not.' })
  readonly reason: string;

  @ApiPropertyOptional({ description: 'The target, where a change goes to several.', enum: platformNames })
  readonly platform?: PlatformName;
}

/** A reference whose record on the target is not known. */
export class UnresolvedReferenceResponse implements UnresolvedReference {
  @ApiProperty({ description: 'Canonical field of the reference.' })
  readonly field: string;

  @ApiProperty({ description: 'The object of the reference; empty if unknown.' })
  readonly canonical_id: string;

  @ApiProperty({ description: 'Why it could not be resolved.' })
  readonly reason: string;

  @ApiPropertyOptional({ description: 'The target, where a change goes to several.', enum: platformNames })
  readonly platform?: PlatformName;
}

/** The outcomes of a record’s references. */
export class ReferencesResponse implements ReferenceReport {
  @ApiProperty({ type: [ResolvedReferenceResponse] })
  readonly resolved: readonly ResolvedReferenceResponse[];

  @ApiProperty({ type: [UnresolvedReferenceResponse] })
  readonly unresolved: readonly UnresolvedReferenceResponse[];
}
