import { agreedLevels, type AgreedLevel } from '../terms/agreements/agreed-rules';
import { ApiProperty } from '@nestjs/swagger';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import { IsOneOf } from '../common/validation/one-of.decorator';

/** Body of `PUT /rules/{name}`. */
export class RuleDto extends TermReasonDto {
  @ApiProperty({
    enum: agreedLevels,
    description:
      'How the service treats a change that breaks the rule: `refuse` (422), `warn` (made with a warning) or `off`. For `create_missing`: `ask`, `always` or `never`.',
  })
  @IsOneOf(agreedLevels)
  level: AgreedLevel;
}
