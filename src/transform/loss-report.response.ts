import {
  sourceOutcomes,
  targetOrigins,
  type LossReport,
  type SourceLine,
  type SourceOutcome,
  type TargetLine,
  type TargetOrigin,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const path = {
  description:
    'Native path: `vendor.id`, `line_items[].amount` for every item of a list, `custom["@odata.etag"]` where a name is no plain word. Values whose path is longer than 200 characters are counted together in one line.',
} as const;

const values = {
  type: 'integer',
  minimum: 2,
  description: 'Number of values of the line; absent for one.',
} as const;

/** The outcome of native fields of the source. */
export class SourceFieldResponse implements SourceLine {
  @ApiProperty(path)
  readonly path: string;

  @ApiPropertyOptional(values)
  readonly values?: number;

  @ApiProperty({
    enum: sourceOutcomes,
    description:
      '`mapped`: the target shows the same value. `derived`: the target shows a value that was computed from it. `kept`: no canonical field exists for it; `provider_metadata` keeps it. `lost`: the target does not show its canonical field; `provider_metadata` keeps it for the translation back.',
  })
  readonly outcome: SourceOutcome;

  @ApiPropertyOptional({ type: [String], description: 'The canonical fields that it determines.' })
  readonly fields?: readonly string[];

  @ApiPropertyOptional({ type: [String], description: 'The native paths of the target that show it.' })
  readonly target_paths?: readonly string[];

  @ApiProperty({ description: 'The reason in words, for people. The words may change.' })
  readonly reason: string;
}

/** Where native fields of the target come from. */
export class TargetFieldResponse implements TargetLine {
  @ApiProperty(path)
  readonly path: string;

  @ApiPropertyOptional(values)
  readonly values?: number;

  @ApiProperty({
    enum: targetOrigins,
    description:
      '`mapped`: from a canonical field, as it is. `derived`: made of a canonical field. `provider_metadata`: from `context.provider_metadata`. `mappings`: a native ID that `context.mappings` names. `source`: from the source’s own record, which stays on its platform.',
  })
  readonly origin: TargetOrigin;

  @ApiPropertyOptional({ type: [String], description: 'The canonical fields that it comes from.' })
  readonly fields?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'The native paths of the source that those were read from.',
  })
  readonly source_paths?: readonly string[];

  @ApiProperty({ description: 'The reason in words, for people. The words may change.' })
  readonly reason: string;
}

/** How many values of the source had each outcome. */
export class OutcomeCountsResponse implements Readonly<Record<SourceOutcome, number>> {
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly mapped: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly derived: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly kept: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly lost: number;
}

/** What became of every value of a previewed record, and where every value of the result comes from. */
export class LossReportResponse implements LossReport {
  @ApiProperty({
    type: OutcomeCountsResponse,
    description: 'How many values of the source had each outcome.',
  })
  readonly values: OutcomeCountsResponse;

  @ApiProperty({
    type: [SourceFieldResponse],
    description: 'The record’s native fields. Every value counts in one line.',
  })
  readonly source: readonly SourceFieldResponse[];

  @ApiProperty({
    type: [TargetFieldResponse],
    description: 'The result’s native fields. Every value counts in one line.',
  })
  readonly target: readonly TargetFieldResponse[];
}
