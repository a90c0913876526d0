import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { TermReasonDto } from '../common/validation/term-reason.dto';

const currency = { pattern: '^[A-Z]{3}$', example: 'EUR' } as const;

/** Body of `PUT /rates`. */
export class RateDto extends TermReasonDto {
  @ApiProperty({ ...currency, description: 'ISO 4217 code.' })
  @IsString()
  from: string;

  @ApiProperty({ ...currency, example: 'USD', description: 'ISO 4217 code of another currency.' })
  @IsString()
  to: string;

  @ApiProperty({
    example: '1.08',
    description: 'One unit of `from` in units of `to`: a positive decimal number as text.',
  })
  @IsString()
  rate: string;
}
