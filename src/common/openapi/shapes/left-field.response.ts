import { ApiProperty } from '@nestjs/swagger';

/** A field of a change that is not sent to one platform although that platform’s record has another value. */
export class LeftFieldResponse {
  @ApiProperty({ description: 'The canonical field.' })
  readonly field: string;

  @ApiProperty({ description: 'Why the field is not sent, in words.' })
  readonly reason: string;
}
