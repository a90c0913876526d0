import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsString,
  MaxLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { IsTime, timeSchema } from '../../common/paging/time-parameter';
import { IfPresent, IsJsonObject, UnlessNull } from '../../common/validation/json-object.validator';
import { IsDecider, IsReason, IsWords, LONGEST } from '../../common/validation/reason.decorators';
import { orNull } from '../../common/openapi/schemas/nullable-schemas';

/** The most cases of one request. */
const MOST_REVIEWED = 500;

/** Longer than any ID of a case, and any version. */
const LONGEST_ID = 100;

/** Why a difference is accepted. */
export class AcceptanceDto {
  @ApiProperty({ description: 'Why the difference may stay.', maxLength: LONGEST.reason })
  @IsReason()
  reason: string;

  @ApiProperty({ description: 'The person who decides.', maxLength: LONGEST.decidedBy })
  @IsDecider()
  decided_by: string;

  @ApiPropertyOptional({
    ...orNull({ type: 'string', pattern: timeSchema.pattern }),
    example: timeSchema.example,
    description:
      'When the acceptance ends and the case is open again: a time, or the end of a day in the customer’s time zone. Unset or null for no end.',
  })
  @UnlessNull()
  @IsTime()
  until?: string | null;
}

/** Body of `PATCH /reconciliation/cases/{id}`. */
export class ReviewDto {
  @ApiPropertyOptional({
    ...orNull({ type: 'string', maxLength: LONGEST.decidedBy }),
    description: 'Who works on the case; null for nobody. Unset, the owner stays.',
  })
  @UnlessNull()
  @IsWords(LONGEST.decidedBy, 'owner must say something')
  owner?: string | null;

  @ApiPropertyOptional({
    type: AcceptanceDto,
    nullable: true,
    description:
      'Accepts the difference as it is; null takes the acceptance back. Unset, the acceptance stays.',
  })
  @UnlessNull()
  @IsJsonObject()
  @ValidateNested()
  @Type(() => AcceptanceDto)
  accepted?: AcceptanceDto | null;
}

/** Body of `PATCH /reconciliation/cases`. */
export class ReviewsDto extends ReviewDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MOST_REVIEWED,
    description: 'IDs of cases. All are changed, or none.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_REVIEWED)
  @IsString({ each: true })
  @MaxLength(LONGEST_ID, { each: true })
  ids: string[];

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MOST_REVIEWED,
    description:
      'The `version` of each case that the person saw, in the order of `ids`. If a case has another version by now, the answer is 409 and none is changed. Unset, the present values are accepted.',
  })
  @IfPresent()
  @IsOneForEachId()
  @IsString({ each: true })
  @MaxLength(LONGEST_ID, { each: true })
  versions?: string[];
}

/** A list as long as `ids`. */
function IsOneForEachId(): PropertyDecorator {
  return ValidateBy({
    name: 'isOneForEachId',
    validator: {
      validate: (value: unknown, given) => {
        const ids: unknown = given !== undefined && 'ids' in given.object ? given.object.ids : undefined;
        return Array.isArray(value) && Array.isArray(ids) && value.length === ids.length;
      },
      defaultMessage: () => 'versions must be a list with one version for each of ids',
    },
  });
}

/** Body of `POST /reconciliation/cases/{id}/notes`. */
export class NoteDto {
  @ApiProperty({ maxLength: LONGEST.reason })
  @IsWords(LONGEST.reason, 'text must say something')
  text: string;

  @ApiProperty({ description: 'The person who writes.', maxLength: LONGEST.decidedBy })
  @IsWords(LONGEST.decidedBy, 'written_by must say something')
  written_by: string;
}
