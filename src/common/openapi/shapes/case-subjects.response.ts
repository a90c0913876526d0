import { platformNames, type PlatformName } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { CaseKind } from '../../../records/events/case-kinds';
import { nullablePlatform, nullableText } from '../schemas/nullable-schemas';

const platformOfRecord = { enum: platformNames, description: 'The platform of the record.' };

/** A case of a field of two records. */
export class FieldOfTwoRecords {
  @ApiProperty({ ...nullablePlatform, description: 'Null: the case is about the records of two platforms.' })
  readonly platform: PlatformName | null;

  @ApiProperty({ description: 'The canonical field whose values differ.' })
  readonly field: string;
}

/** A case of a whole record. */
export class WholeRecord {
  @ApiProperty(platformOfRecord)
  readonly platform: PlatformName;

  @ApiProperty({ ...nullableText, description: 'Null: the case is about the whole record.' })
  readonly field: string | null;
}

/** A case of a field of one record. */
export class FieldOfRecord {
  @ApiProperty(platformOfRecord)
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Canonical field, or native path of a value that cannot be read.' })
  readonly field: string;
}

/** A case of amounts, of one record or of two. */
export class FieldOfAmounts {
  @ApiProperty({
    ...nullablePlatform,
    description: 'The platform of the record, for a case of one record; null for a case of two.',
  })
  readonly platform: PlatformName | null;

  @ApiProperty({ description: 'The canonical field of the amounts.' })
  readonly field: string;
}

/** What the cases of each kind are about. */
export const caseSubjects = {
  disagreement: FieldOfTwoRecords,
  only_on: WholeRecord,
  ambiguous: WholeRecord,
  other_project: FieldOfRecord,
  unreadable: FieldOfRecord,
  not_comparable: FieldOfAmounts,
} as const satisfies Record<CaseKind, Type<unknown>>;
