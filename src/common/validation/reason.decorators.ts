import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';

/** Characters that a reason, and the name of who gives it, may have. */
export const LONGEST = { reason: 2_000, decidedBy: 200 } as const;

const somethingVisible = /\S/;

// The last rule is reported first, so that a value of another type is told its type.

/** The decorators of `reason`: why the caller decides something, in free text. */
export function IsReason(): PropertyDecorator {
  return applyDecorators(
    MaxLength(LONGEST.reason),
    Matches(somethingVisible, { message: 'reason must say something' }),
    IsString(),
  );
}

/** The decorators of `decided_by`: the name of who decides. */
export function IsDecider(): PropertyDecorator {
  return applyDecorators(
    MaxLength(LONGEST.decidedBy),
    Matches(somethingVisible, { message: 'decided_by must name somebody' }),
    IsString(),
  );
}
