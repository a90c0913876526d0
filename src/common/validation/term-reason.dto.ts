import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { IfPresent } from './json-object.validator';

/** Characters that a reason, and the name of who gives it, may have. */
const LONGEST = { reason: 2_000, decidedBy: 200 } as const;

const somethingVisible = /\S/;

/** Who changes what is agreed with the customer, and why. */
export class TermReasonDto {
  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST.reason,
    description: 'Why, in the words of who decides. It is kept with the change, and shown.',
  })
  @IfPresent()
  @IsString()
  @Matches(somethingVisible, { message: 'reason must say something' })
  @MaxLength(LONGEST.reason)
  reason?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST.decidedBy,
    description: 'Who decides: a name that the customer’s people know.',
  })
  @IfPresent()
  @IsString()
  @Matches(somethingVisible, { message: 'decided_by must name somebody' })
  @MaxLength(LONGEST.decidedBy)
  decided_by?: string;
}

/** The reason of a body, with the members that it has. */
export function reasonOf({ reason, decided_by: decidedBy }: TermReasonDto): {
  readonly reason?: string;
  readonly decidedBy?: string;
} {
  return { ...(reason !== undefined && { reason }), ...(decidedBy !== undefined && { decidedBy }) };
}
