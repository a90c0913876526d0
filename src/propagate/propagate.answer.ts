import {
  platformNames,
  storedEntityTypes,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConversionAnswer, ReferencesAnswer } from '../openapi/mapper.answers';
import { schema } from '../openapi/schema-names';

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
export class FieldConversionAnswer extends ConversionAnswer {
  @ApiProperty({ description: 'The canonical field of the amount.' })
  readonly field: string;
}

/** What became of a change on one platform. */
export class PropagatedEntry {
  @ApiPropertyOptional({ description: 'Native ID. Absent where the platform does not have the object.' })
  readonly platform_id?: string;

  @ApiProperty({
    enum: propagationStatuses,
    description:
      '`pending`: accepted, and not yet confirmed by the platform. `uncertain`: sent, and being looked after, since no answer came. `rejected`, `skipped` and `held` come with a reason; `held` means that a person must look.',
  })
  readonly status: (typeof propagationStatuses)[number];

  @ApiPropertyOptional({
    description: 'Why it was skipped or rejected, or which fields stayed as they were.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({ ...schema('PlatformPayload'), description: 'The record as it now stands there.' })
  readonly data?: JsonObject;

  @ApiPropertyOptional({
    type: ConversionAnswer,
    description: 'How the amount was converted, where it was; of several amounts the first.',
  })
  readonly conversion?: ConversionAnswer;

  @ApiPropertyOptional({ type: [FieldConversionAnswer], description: 'Every conversion, by field.' })
  readonly conversions?: readonly FieldConversionAnswer[];
}

/** The canonical object behind a change. */
export class PropagatedObject {
  @ApiProperty({ description: 'Canonical ID. Where the change named an alias, the ID it stands for.' })
  readonly id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({
    type: [String],
    description: 'Canonical fields that changed; empty when nothing was written.',
  })
  readonly updated_fields: readonly string[];

  @ApiProperty({ ...schema('StoredObject'), description: 'The object as it now stands.' })
  readonly data: JsonObject;
}

/** What became of a change, by platform. */
class PropagatedPlatforms {}
const describeEntry = ApiPropertyOptional({ type: PropagatedEntry });
for (const platform of platformNames) describeEntry(PropagatedPlatforms.prototype, platform);

/** What a propagation answers. */
export class PropagateResult {
  @ApiProperty({ type: PropagatedObject })
  readonly canonical: PropagatedObject;

  @ApiProperty({ type: PropagatedPlatforms, description: 'One entry for each connected platform.' })
  readonly propagated: Readonly<Partial<Record<PlatformName, PropagatedEntry>>>;

  @ApiPropertyOptional({
    type: ReferencesAnswer,
    description: 'What became of the object’s references on each target. Absent when it carries none.',
  })
  readonly references?: ReferencesAnswer;
}
