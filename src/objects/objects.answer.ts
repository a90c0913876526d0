import {
  platformNames,
  storedEntityTypes,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { schema } from '../openapi/schema-names';

/** A record and its canonical object. */
export class PlatformMapping {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Native ID on that platform, as a string.' })
  readonly platform_id: string;
}

/** One element of a listing. It is written as text (see object-record.ts), so this class only describes it. */
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
}
