import { ApiPropertyOptional } from '@nestjs/swagger';
import { orNull } from '../openapi/schemas/nullable-schemas';
import { UnlessNull } from './json-object.validator';
import { IsDecider, IsReason, LONGEST } from './reason.decorators';

/** Who changes what is agreed with the customer, and why. */
export class TermReasonDto {
  @ApiPropertyOptional({
    ...orNull({ type: 'string', maxLength: LONGEST.reason }),
    description: 'Why, in the words of who decides. It is kept with the change, and shown.',
  })
  @UnlessNull()
  @IsReason()
  reason?: string | null;

  @ApiPropertyOptional({
    ...orNull({ type: 'string', maxLength: LONGEST.decidedBy }),
    description: 'Who decides: a name that the customer’s people know.',
  })
  @UnlessNull()
  @IsDecider()
  decided_by?: string | null;
}

/** The reason of a body, with the members that it has. */
export function reasonOf({ reason, decided_by: decidedBy }: TermReasonDto): {
  readonly reason?: string;
  readonly decidedBy?: string;
} {
  return {
    ...(reason !== undefined && reason !== null && { reason }),
    ...(decidedBy !== undefined && decidedBy !== null && { decidedBy }),
  };
}
