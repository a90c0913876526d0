import { platformNames, type PlatformName } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TermReasonResponse } from '../common/openapi/shapes/term-reason.response';

/** Whose value counts for a field, as agreed with the customer. */
@ApiSchema({ name: 'AgreedPrecedence' })
export class PrecedenceResponse extends TermReasonResponse {
  @ApiProperty()
  readonly entity_type: string;

  @ApiProperty({ description: 'The canonical field.' })
  readonly field: string;

  @ApiProperty({
    enum: platformNames,
    isArray: true,
    description: 'The platforms whose values count first, in order.',
  })
  readonly platforms: readonly PlatformName[];

  @ApiProperty({ format: 'date-time', pattern: '\\.\\d{3}Z$', description: 'Since when the order applies.' })
  readonly since: string;
}

/** All that is agreed about precedence. */
@ApiSchema({ name: 'PrecedenceList' })
export class PrecedenceList {
  @ApiProperty({ enum: platformNames, isArray: true, description: 'The order for every other field.' })
  readonly default_platforms: readonly PlatformName[];

  @ApiProperty({ type: [PrecedenceResponse], description: 'Fields with an order of their own, by name.' })
  readonly precedence: readonly PrecedenceResponse[];
}
