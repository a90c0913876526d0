import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TermReasonResponse } from '../common/openapi/shapes/term-reason.response';

/** A rate that is agreed with the customer. */
@ApiSchema({ name: 'AgreedRate' })
export class RateResponse extends TermReasonResponse {
  @ApiProperty({ description: 'ISO 4217 code.' })
  readonly from: string;

  @ApiProperty({ description: 'ISO 4217 code.' })
  readonly to: string;

  @ApiProperty({ description: 'One unit of `from` in units of `to`, as it was set.' })
  readonly rate: string;

  @ApiProperty({ format: 'date-time', pattern: '\\.\\d{3}Z$', description: 'Since when the rate applies.' })
  readonly set_at: string;
}
