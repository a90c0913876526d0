import {
  platformNames,
  ruleNames,
  storedEntityTypes,
  type JsonObject,
  type JsonValue,
  type Money,
  type PlatformName,
  type RuleName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LeftFieldResponse } from '../common/openapi/shapes/left-field.response';
import { OperatorDecisionResponse } from '../common/openapi/shapes/operator-decision.response';
import { ConversionResponse, ReferencesResponse } from '../common/openapi/shapes/mapper.responses';
import { anyValue, schema } from '../common/openapi/schemas/schema-names';
import { ForEachPlatform } from '../common/openapi/for-each-platform.decorator';

export const propagationStatuses = [
  'applied',
  'unchanged',
  'pending',
  'uncertain',
  'rejected',
  'skipped',
  'held',
] as const;

/** How one amount of a record was converted. */
export class FieldConversionResponse extends ConversionResponse {
  @ApiProperty({ description: 'The canonical field of the amount.' })
  readonly field: string;
}

/** A native field that a change writes. */
export class NativeChangeResponse {
  @ApiProperty({ description: 'Path of the native field; its parts are separated by dots.' })
  readonly path: string;

  @ApiProperty({ ...anyValue, description: 'The value that is written.' })
  readonly value: JsonValue;
}

/** What became of a change on one platform. */
export class PropagatedEntry {
  @ApiPropertyOptional({ description: 'Native ID. Absent where the platform does not have the object.' })
  readonly platform_id?: string;

  @ApiProperty({
    enum: propagationStatuses,
    description:
      '`pending`: accepted, and not yet confirmed by the platform. `uncertain`: sent without an answer; the service checks whether the write happened before it sends it again. `rejected`, `skipped` and `held` come with a reason; `held` means that a person must look.',
  })
  readonly status: (typeof propagationStatuses)[number];

  @ApiPropertyOptional({
    enum: [true],
    type: Boolean,
    description:
      'The change has created the record on this platform, or will once it is sent. Absent for every other entry, and if the creation did not succeed or is `held`.',
  })
  readonly created?: true;

  @ApiPropertyOptional({
    description:
      'Why the change was skipped, rejected or held, what it waits for, or which fields the platform did not take.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({
    type: [LeftFieldResponse],
    description:
      'Fields that the change names, and that are not sent to the platform although its record has another value: the platform does not let them be written, has no such field or no form for the value, or lacks what they refer to. `reason` repeats the reasons, and names what the platform refused when it was asked. Absent when no field was left.',
  })
  readonly left?: readonly LeftFieldResponse[];

  @ApiPropertyOptional({ ...schema('PlatformPayload'), description: 'The record as it is there now.' })
  readonly data?: JsonObject;

  @ApiPropertyOptional({
    type: ConversionResponse,
    description: 'The first conversion. Absent when nothing was converted.',
  })
  readonly conversion?: ConversionResponse;

  @ApiPropertyOptional({ type: [FieldConversionResponse], description: 'Every conversion, by field.' })
  readonly conversions?: readonly FieldConversionResponse[];

  @ApiPropertyOptional({
    type: [NativeChangeResponse],
    description:
      'For a dry run: what would be written to the platform. `data` is then the record as it would be. A new record has no `platform_id`, and a placeholder for its ID in `data`.',
  })
  readonly changes?: readonly NativeChangeResponse[];

  @ApiPropertyOptional({
    type: [OperatorDecisionResponse],
    description: 'What people decided about the write, oldest first. Absent when they decided nothing.',
  })
  readonly decisions?: readonly OperatorDecisionResponse[];
}

/** The canonical object behind a change. */
export class PropagatedObject {
  @ApiProperty({ description: 'Canonical ID. Where the change named an alias, the ID of the object itself.' })
  readonly id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({
    type: [String],
    description: 'Canonical fields that changed.',
  })
  readonly updated_fields: readonly string[];

  @ApiProperty({ ...schema('StoredObject'), description: 'The object as it is now.' })
  readonly data: JsonObject;

  @ApiProperty({
    description: 'The version of the object, for `If-Match`. Of a dry run: of the object as it is now.',
  })
  readonly version: string;
}

/** What became of a change, by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: PropagatedEntry }))
export class PropagatedPlatforms {}

/** A rule that a change does not keep, and that did not refuse it. */
export class ChangeWarningResponse {
  @ApiProperty({ enum: ruleNames, description: 'The rule. An operator sets its level with `rules set`.' })
  readonly rule: RuleName;

  @ApiProperty({ description: 'The field, as the change named it.' })
  readonly field: string;

  @ApiProperty({ description: 'What is wrong, in words; with both numbers where there are two.' })
  readonly message: string;

  @ApiPropertyOptional({ ...schema('Money'), description: 'The amount that would result from the change.' })
  readonly amount?: Money;

  @ApiPropertyOptional({ ...schema('Money'), description: 'The largest amount that the rule allows.' })
  readonly limit?: Money;

  @ApiPropertyOptional({ enum: platformNames, description: 'The platform that is concerned.' })
  readonly platform?: PlatformName;
}

/** What a propagation answers. */
export class PropagateResult {
  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'Names the change for `GET /propagations/{id}`. Absent when the change changed nothing, so that nothing was stored.',
  })
  readonly propagation_id?: string;

  @ApiPropertyOptional({
    description: 'Why the change was made, as its request said. Absent when it did not say.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({
    description: 'Who decided the change, as its request said. Absent when it did not say.',
  })
  readonly decided_by?: string;

  @ApiPropertyOptional({
    enum: [true],
    type: Boolean,
    description: 'Present when nothing was stored and nothing was sent.',
  })
  readonly dry_run?: true;

  @ApiProperty({ type: PropagatedObject })
  readonly canonical: PropagatedObject;

  @ApiProperty({ type: PropagatedPlatforms, description: 'One entry for each connected platform.' })
  readonly propagated: Readonly<Partial<Record<PlatformName, PropagatedEntry>>>;

  @ApiPropertyOptional({
    type: [ChangeWarningResponse],
    description: 'Rules that the change did not keep when it was made. Absent when it kept all of them.',
  })
  readonly warnings?: readonly ChangeWarningResponse[];

  @ApiPropertyOptional({
    type: ReferencesResponse,
    description: 'How the object’s references were resolved on each target. Absent if it has none.',
  })
  readonly references?: ReferencesResponse;
}

/** Final statuses. */
const settled: ReadonlySet<string> = new Set<PropagatedEntry['status']>([
  'applied',
  'unchanged',
  'rejected',
  'skipped',
]);

/** Whether every outcome of an answer is final. */
export function isSettled({ propagated }: PropagateResult): boolean {
  return Object.values(propagated).every(({ status }) => settled.has(status));
}
