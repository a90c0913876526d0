import { ruleLevels, ruleNames, type RuleLevel, type RuleName } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TermReasonAnswer } from '../common/openapi/shapes/term-reason.response';

/** A rule that changes are held against, and its level for the customer. */
@ApiSchema({ name: 'Rule' })
export class RuleAnswer extends TermReasonAnswer {
  @ApiProperty({ enum: ruleNames })
  readonly rule: RuleName;

  @ApiProperty({ enum: ruleLevels, description: 'What becomes of a change that breaks the rule.' })
  readonly level: RuleLevel;

  @ApiProperty({
    type: String,
    format: 'date-time',
    pattern: '\\.\\d{3}Z$',
    nullable: true,
    description: 'Since when the level is agreed; null for the default one.',
  })
  readonly since: string | null;
}
