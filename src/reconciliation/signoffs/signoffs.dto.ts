import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { IsFileHead } from '../../common/validation/file-head.decorator';
import { IsBoundCursor, IsPageSize } from '../../common/validation/page-parameters.decorators';
import { IsTime, timeSchema } from '../../common/paging/time-parameter';
import { IfPresent, UnlessNull } from '../../common/validation/json-object.validator';
import {
  nullableDay,
  nullableText,
  nullableType,
  orNull,
} from '../../common/openapi/schemas/nullable-schemas';
import { IsDecider, IsReason, IsWords, LONGEST } from '../../common/validation/reason.decorators';
import { IsOneOf } from '../../common/validation/one-of.decorator';
import { IsCurrencyCode, IsDay, IsPlatformPair } from '../statement/statement.dto';
import { signoffStates } from './signoff-states';
import { signoffRoles, type SignoffRole } from './stored-signoff';

const digest = /^sha256:[0-9a-f]{64}$/;

/** Body of `POST /reconciliation/signoffs`. */
export class SignoffDto {
  @ApiProperty({
    ...timeSchema,
    description:
      '`as_of` of the statement, microseconds included. A date without a time means the end of that day in the customer’s time zone.',
  })
  @IsTime()
  as_of: string;

  @ApiPropertyOptional({
    ...nullableDay,
    description:
      '`through` of the statement: the day up to which documents count. Unset or null for all documents.',
    example: '2026-06-30',
  })
  @UnlessNull()
  @IsDay()
  through?: string | null;

  @ApiProperty({ type: String, pattern: '^[A-Z]{3}$', description: 'Currency of the statement.' })
  @IsCurrencyCode()
  currency: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Two platforms, separated by a comma; by default the first two.',
    example: 'platform_a,platform_b',
  })
  @IfPresent()
  @IsPlatformPair()
  platforms?: string;

  @ApiPropertyOptional({
    ...nullableType,
    description: 'The type of a statement of one type. Unset or null for all.',
  })
  @UnlessNull()
  @IsOneOf(storedEntityTypes)
  entity_type?: StoredEntityType | null;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'The project of a statement of one project. Unset or null for all.',
  })
  @UnlessNull()
  @IsString()
  project_id?: string | null;

  @ApiProperty({ pattern: digest.source, description: '`digest` of the statement.' })
  @Matches(digest, { message: 'digest must be that of a statement: sha256: and 64 digits' })
  digest: string;

  @ApiProperty({ enum: signoffRoles, description: 'Whether the person prepared or reviewed the statement.' })
  @IsOneOf(signoffRoles)
  role: SignoffRole;

  @ApiProperty({
    description: 'The person who signs, by a name that the customer’s people know.',
    maxLength: LONGEST.decidedBy,
  })
  @IsWords(LONGEST.decidedBy, 'signed_by must name a person')
  signed_by: string;

  @ApiPropertyOptional({
    ...orNull({ type: 'string', maxLength: LONGEST.reason }),
    description: 'A note by the person who signs.',
  })
  @UnlessNull()
  @IsString()
  @MaxLength(LONGEST.reason)
  note?: string | null;
}

/** Body of `DELETE /reconciliation/signoffs/{id}`. */
export class SignoffWithdrawalDto {
  @ApiProperty({ description: 'Why the sign-off ends.', maxLength: LONGEST.reason })
  @IsReason()
  reason: string;

  @ApiProperty({ description: 'The person who withdraws it.', maxLength: LONGEST.decidedBy })
  @IsDecider()
  decided_by: string;
}

/** Query of `GET /reconciliation/signoffs`. */
export class SignoffsQuery {
  @ApiPropertyOptional({
    enum: signoffStates.states,
    description: 'Only standing or only withdrawn sign-offs; by default both.',
  })
  @IfPresent()
  @IsOneOf(signoffStates.states)
  state?: 'standing' | 'withdrawn';

  @ApiPropertyOptional({ enum: signoffRoles, description: 'Only sign-offs with this role; by default both.' })
  @IfPresent()
  @IsOneOf(signoffRoles)
  role?: SignoffRole;

  @IsPageSize(
    'Maximum number of sign-offs on a page. A page holds fewer if its sign-offs are about many statements. A CSV file has all sign-offs.',
  )
  limit?: number;

  @IsBoundCursor()
  cursor?: string;

  @IsFileHead()
  head?: boolean;
}
