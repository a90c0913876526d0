import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfPresent } from './json-object.validator';
import { IsDecider, IsReason, LONGEST } from './reason.decorators';

/** Who changes what is agreed with the customer, and why. */
export class TermReasonDto {
  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST.reason,
    description: 'Why, in the words of who decides. It is kept with the change, and shown.',
  })
  @IfPresent()
  @IsReason()
  reason?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST.decidedBy,
    description: 'Who decides: a name that the customer’s people know.',
  })
  @IfPresent()
  @IsDecider()
  decided_by?: string;
}

/** The reason of a body, with the members that it has. */
export function reasonOf({ reason, decided_by: decidedBy }: TermReasonDto): {
  readonly reason?: string;
  readonly decidedBy?: string;
} {
  return { ...(reason !== undefined && { reason }), ...(decidedBy !== undefined && { decidedBy }) };
}
