import {
  agreedLevels,
  agreedRuleNames,
  type AgreedLevel,
  type AgreedRuleName,
} from '../terms/agreements/agreed-rules';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TermReasonResponse } from '../common/openapi/shapes/term-reason.response';

/** A rule that changes are held against, and its level for the customer. */
@ApiSchema({ name: 'Rule' })
export class RuleResponse extends TermReasonResponse {
  @ApiProperty({ enum: agreedRuleNames })
  readonly rule: AgreedRuleName;

  @ApiProperty({
    enum: agreedLevels,
    description:
      'How the service treats a change that breaks the rule; for `create_missing`, whether a change creates missing records.',
  })
  readonly level: AgreedLevel;

  @ApiProperty({
    type: String,
    format: 'date-time',
    pattern: '\\.\\d{3}Z$',
    nullable: true,
    description: 'Since when the level is agreed; null for the default one.',
  })
  readonly since: string | null;
}
