import {
  platformNames,
  storedEntityTypes,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PlatformMapping } from '../common/openapi/shapes/change.response';
import { anyValue, schema } from '../common/openapi/schemas/schema-names';
import { MOST_RULED_OUT } from '../matching/decisions/ruled-out.repository';
import { LinkEvidenceResponse, RuledOutRecord } from './single/evidence.response';
import { nullableTime } from '../common/openapi/schemas/nullable-schemas';
import { ForEachPlatform } from '../common/openapi/for-each-platform.decorator';

const versionDescription =
  'Changes whenever the object, its mappings or its disagreements change, even if another record or the terms agreed with the customer cause the change.';

/** One element of a listing. It is written as text (see record-text.ts), so this class only describes it. */
export class ObjectRecord {
  @ApiProperty({ description: 'Native ID on that platform, as a string.' })
  readonly id: string;

  @ApiProperty({ description: 'ID of the canonical object.' })
  readonly canonical_id: string;

  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ ...schema('StoredObject'), description: 'The canonical object.' })
  readonly data: JsonObject;

  @ApiProperty({ ...schema('PlatformPayload'), description: 'The record as the platform has it.' })
  readonly platform_data: JsonObject;

  @ApiProperty({
    type: [PlatformMapping],
    description: `One entry for each platform that has the object, ${platformNames[0] ?? 'the leading one'} first.`,
  })
  readonly mappings: readonly PlatformMapping[];

  @ApiProperty({ description: versionDescription })
  readonly version: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'When the service found that the platform no longer has the record. Absent while the platform has it.',
  })
  readonly deleted_at?: string;
}

/** A platform's present record of a listed object. */
export class FoundRecord {
  @ApiProperty({ description: 'Native ID on that platform, as a string.' })
  readonly id: string;

  @ApiProperty({ ...schema('PlatformPayload'), description: 'The record as the platform has it.' })
  readonly platform_data: JsonObject;
}

/** The records of a listed object, by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: FoundRecord }))
class FoundRecords {}

/** One element of a listing without a platform. It is written as text (see record-text.ts). */
export class FoundObject {
  @ApiProperty({ description: 'ID of the canonical object.' })
  readonly canonical_id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ ...schema('StoredObject'), description: 'The canonical object.' })
  readonly data: JsonObject;

  @ApiProperty({
    type: FoundRecords,
    description: 'The present records of the object, one for each platform that has it.',
  })
  readonly records: Readonly<Partial<Record<PlatformName, FoundRecord>>>;

  @ApiProperty({ type: [PlatformMapping], description: 'One entry for each of its records.' })
  readonly mappings: readonly PlatformMapping[];

  @ApiProperty({ description: versionDescription })
  readonly version: string;
}

/** A platform's record of an object. */
export class PlatformRecord extends PlatformMapping {
  @ApiProperty({ format: 'date-time', description: 'Since when the record is known in this state.' })
  readonly since: string;

  @ApiPropertyOptional({
    description:
      'The currency (ISO 4217) of those amounts of the record for which it names none: the currency of the record it belongs to, of the company, or of the connection. For a preview with `/transform` send it as `currency` of the context. Absent if it is not known, and for a deleted record.',
  })
  readonly currency?: string;

  @ApiProperty({
    ...schema('PlatformPayload'),
    description: 'The record as the platform has it; for a deleted record as the platform had it last.',
  })
  readonly platform_data: JsonObject;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'When the service found that the platform no longer has the record. Absent while the platform has it.',
  })
  readonly deleted_at?: string;
}

/** One platform's value of a field on which platforms differ. */
export class DisagreeingValue {
  @ApiProperty({
    ...anyValue,
    description:
      'As the platform writes it; an address as an object by native path. Null if it is derived from another record.',
  })
  readonly native: unknown;

  @ApiProperty({ ...anyValue, description: 'In canonical form.' })
  readonly canonical: unknown;
}

/** What platforms say of a field, by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: DisagreeingValue }))
class DisagreeingValues {}

/** A field on which platforms differ. */
export class DisagreementResponse {
  @ApiProperty({ description: 'Canonical field.' })
  readonly field: string;

  @ApiProperty({ type: DisagreeingValues, description: 'The value of each platform that has one.' })
  readonly values: Readonly<Partial<Record<PlatformName, DisagreeingValue>>>;

  @ApiProperty({ enum: platformNames, description: 'The platform whose value counts.' })
  readonly stands: PlatformName;

  @ApiProperty({ description: 'Why the value of that platform counts, for people.' })
  readonly why: string;
}

/** Whether an object is deleted, and whether writes to it are open or held. */
export class ObjectState {
  @ApiProperty({
    ...nullableTime,
    description:
      'When the service found that no platform has the object any more; null while a platform has it.',
  })
  readonly deleted_at: string | null;

  @ApiProperty({ description: 'Whether a write to one of its records is not decided yet.' })
  readonly open: boolean;

  @ApiProperty({ description: 'Whether a write to one of its records waits for a person.' })
  readonly held: boolean;
}

/** One object with all that is known of it. It is written as text (see object-detail.ts). */
export class ObjectDetailResponse {
  @ApiProperty({
    description: 'ID of the object. Where the path names an alias, the ID of the object itself.',
  })
  readonly canonical_id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({
    description: `${versionDescription} It is the same as in listings. The \`ETag\` begins with it; a suffix follows that changes with the rest of the response.`,
  })
  readonly version: string;

  @ApiProperty({
    ...schema('StoredObject'),
    description: 'The canonical object; if no platform has it any more, its last state.',
  })
  readonly data: JsonObject;

  @ApiProperty({ type: [PlatformMapping], description: 'One entry for each platform that has the object.' })
  readonly mappings: readonly PlatformMapping[];

  @ApiProperty({ type: [PlatformRecord], description: 'Its records, deleted ones included.' })
  readonly records: readonly PlatformRecord[];

  @ApiProperty({ type: [DisagreementResponse], description: 'The fields on which platforms differ.' })
  readonly disagreements: readonly DisagreementResponse[];

  @ApiProperty({
    type: [LinkEvidenceResponse],
    description: 'Why its records are one object: a link for each record that joined it after the first.',
  })
  readonly evidence: readonly LinkEvidenceResponse[];

  @ApiProperty({
    type: [RuledOutRecord],
    maxItems: MOST_RULED_OUT,
    description: `Records that standing decisions of people keep apart from one of its records: the latest ${MOST_RULED_OUT}, latest first.`,
  })
  readonly ruled_out: readonly RuledOutRecord[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many records are ruled out in all.' })
  readonly ruled_out_total: number;

  @ApiProperty({ type: ObjectState })
  readonly state: ObjectState;
}
