import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** A field that a change names and that is not sent to one platform, whose record has another value. */
@ApiSchema({ name: 'LeftFieldAnswer' })
export class LeftFieldResponse {
  @ApiProperty({ description: 'The canonical field.' })
  readonly field: string;

  @ApiProperty({ description: 'Why it is not sent, in words.' })
  readonly reason: string;
}
