import type { JsonObject } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OperatorDecisionResponse } from '../../common/openapi/shapes/operator-decision.response';
import { LeftFieldResponse } from '../../common/openapi/shapes/left-field.response';
import {
  FieldChangeResponse,
  OriginResponse,
  PlatformMapping,
} from '../../common/openapi/shapes/change.response';
import { ForEachPlatform } from '../../common/openapi/for-each-platform.decorator';
import type { Origin } from '../../records/history/change-origins.repository';

/** The records of an object before and after a change. */
export class RecordsChange {
  @ApiProperty({ type: [PlatformMapping] })
  readonly before: readonly PlatformMapping[];

  @ApiProperty({ type: [PlatformMapping] })
  readonly after: readonly PlatformMapping[];
}

/** Fields on which platforms begin, cease or go on to differ. */
export class DisagreementsChange {
  @ApiProperty({ type: [String] })
  readonly appeared: readonly string[];

  @ApiProperty({ type: [String] })
  readonly settled: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description:
      'Fields on which the platforms differed before and differ now, where a value that does not stand changed. Absent where there are none. `as_of` shows the values.',
  })
  readonly changed?: readonly string[];
}

/** The outcome of a propagation on one platform. */
export class HistoryOutcome {
  @ApiProperty({ description: 'As in the answer of the propagation.' })
  readonly status: string;

  @ApiPropertyOptional({
    enum: [true],
    type: Boolean,
    description: 'The propagation creates the record on this platform. As in its answer.',
  })
  readonly created?: true;

  @ApiPropertyOptional()
  readonly reason?: string;

  @ApiPropertyOptional({ type: [LeftFieldResponse], description: 'As in the answer of the propagation.' })
  readonly left?: readonly LeftFieldResponse[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'The platform’s values before the write: native values by native path, of the fields that the write names and that differ. Absent unless `applied`, and for a new record. Lists and texts of more than 200 characters are left out.',
  })
  readonly before?: JsonObject;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The platform’s values after the write, in the same form.',
  })
  readonly after?: JsonObject;

  @ApiPropertyOptional({
    description: 'Currency of the amounts in `after`. Absent where there is no amount.',
  })
  readonly currency?: string;

  @ApiPropertyOptional({
    type: [OperatorDecisionResponse],
    description: 'What people decided about the write. As in the answer of the propagation.',
  })
  readonly decisions?: readonly OperatorDecisionResponse[];
}

/** Outcomes by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: HistoryOutcome }))
class HistoryOutcomes {}

/** One change of an object. */
export class HistoryEntry {
  @ApiProperty({
    format: 'date-time',
    description:
      'When the change happened. With this time as `as_of` a read shows the state after the change.',
  })
  readonly at: string;

  @ApiProperty({
    description:
      'The ID that the object had at that time. It is another one if the object became part of the requested object later.',
  })
  readonly canonical_id: string;

  @ApiProperty({
    enum: ['appeared', 'changed', 'disappeared'],
    description:
      '`disappeared`: no platform has it any more, or it was part of another object for a while. `appeared`: a platform has it, for the first time or again.',
  })
  readonly change: 'appeared' | 'changed' | 'disappeared';

  @ApiProperty({ type: OriginResponse })
  readonly origin: Origin;

  @ApiProperty({ type: [FieldChangeResponse] })
  readonly fields: readonly FieldChangeResponse[];

  @ApiPropertyOptional({ type: RecordsChange, description: 'The records that the object got or lost.' })
  readonly records?: RecordsChange;

  @ApiPropertyOptional({ type: DisagreementsChange })
  readonly disagreements?: DisagreementsChange;

  @ApiPropertyOptional({
    type: HistoryOutcomes,
    description: 'The present outcomes of the propagation.',
  })
  readonly outcomes?: Readonly<Record<string, HistoryOutcome>>;
}
