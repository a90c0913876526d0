import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { IsFileHead } from '../../common/validation/file-head.decorator';
import { IfPresent } from '../../common/validation/json-object.validator';
import { IsDecider, IsReason, LONGEST } from '../../common/validation/reason.decorators';
import { IsBoundCursor, IsPageSize } from '../../common/validation/page-parameters.decorators';
import { IsOneOf } from '../../common/validation/one-of.decorator';

/** The decisions that a person can make about two records. */
export const decisionKinds = ['link', 'not_same'] as const;
export const decisionStatuses = ['standing', 'withdrawn'] as const;

/** No platform has longer native IDs. */
const LONGEST_ID = 1_000;

/** A record, as its platform names it. */
export class RecordNameDto {
  @ApiProperty({ enum: platformNames, description: 'The platform that has the record.' })
  @IsOneOf(platformNames)
  platform: PlatformName;

  @ApiProperty({ description: 'Native ID of the record, as a string.', maxLength: LONGEST_ID })
  @IsString()
  @MaxLength(LONGEST_ID)
  platform_id: string;
}

/** The person who decides, the reason, and whether it is a dry run. */
export class WithdrawalDto {
  @ApiProperty({
    description: 'The reason, in the words of the person who decides.',
    maxLength: LONGEST.reason,
  })
  @IsReason()
  reason: string;

  @ApiProperty({
    description: 'The person who decides, by a name that the customer’s people know.',
    maxLength: LONGEST.decidedBy,
  })
  @IsDecider()
  decided_by: string;

  @ApiPropertyOptional({ description: 'Returns the effects without writing anything.' })
  @IfPresent()
  @IsBoolean()
  dry_run?: boolean;
}

/** Body of `POST /reconciliation/decisions`. */
export class DecisionDto extends WithdrawalDto {
  @ApiProperty({
    enum: decisionKinds,
    description:
      '`link`: both records are the same object. `not_same`: they are different objects, even if their keys are equal.',
  })
  @IsOneOf(decisionKinds)
  decision: (typeof decisionKinds)[number];

  @ApiProperty({ enum: storedEntityTypes, description: 'The type of both records.' })
  @IsOneOf(storedEntityTypes)
  entity_type: StoredEntityType;

  @ApiProperty({
    type: [RecordNameDto],
    minItems: 2,
    maxItems: 2,
    description: 'Two records of different platforms.',
  })
  @IsArray()
  @ArrayMinSize(2, { message: 'records must be two' })
  @ArrayMaxSize(2, { message: 'records must be two' })
  @ValidateNested()
  @Type(() => RecordNameDto)
  records: RecordNameDto[];
}

/** Query of `GET /reconciliation/decisions`. */
export class DecisionsQuery {
  @ApiPropertyOptional({
    enum: decisionStatuses,
    description: 'Only standing or only withdrawn decisions; by default both.',
  })
  @IfPresent()
  @IsOneOf(decisionStatuses)
  status?: (typeof decisionStatuses)[number];

  @ApiPropertyOptional({
    enum: decisionKinds,
    description: 'Only decisions with this meaning; by default both.',
  })
  @IfPresent()
  @IsOneOf(decisionKinds)
  decision?: (typeof decisionKinds)[number];

  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'The type of the records; by default any.' })
  @IfPresent()
  @IsOneOf(storedEntityTypes)
  entity_type?: StoredEntityType;

  @IsPageSize('Maximum number of decisions on a page. A CSV file has all decisions.')
  limit?: number;

  @IsBoundCursor()
  cursor?: string;

  @IsFileHead()
  head?: boolean;
}
