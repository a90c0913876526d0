import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';
import { visibleText } from './visible-text';

/** Characters that a reason, and the name of who gives it, may have. */
export const LONGEST = { reason: 2_000, decidedBy: 200 } as const;

/** The decorators of a text for people. */
export function IsWords(longest: number, message: string): PropertyDecorator {
  return applyDecorators(
    // The last rule is reported first, so that a value of another type is told its type.
    MaxLength(longest),
    Matches(visibleText, { message }),
    IsString(),
  );
}

/** The decorators of `reason`: why the caller decides something, in free text. */
export function IsReason(): PropertyDecorator {
  return IsWords(LONGEST.reason, 'reason must say something');
}

/** The decorators of `decided_by`: the name of who decides. */
export function IsDecider(): PropertyDecorator {
  return IsWords(LONGEST.decidedBy, 'decided_by must name a person');
}
