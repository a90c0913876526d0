import { ruleLevels, type RuleLevel } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { TermReasonDto } from '../common/validation/term-reason.dto';

/** Body of `PUT /rules/{name}`. */
export class RuleDto extends TermReasonDto {
  @ApiProperty({
    enum: ruleLevels,
    description:
      'What becomes of a change that breaks the rule: it is refused (422), made with a warning, or made without a word.',
  })
  @IsIn(ruleLevels, { message: `level must be one of ${ruleLevels.join(', ')}` })
  level: RuleLevel;
}
