import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** What a person decided about a write that waited or was held. */
export class OperatorDecisionResponse {
  @ApiProperty({
    enum: ['retry', 'send_again', 'discard'],
    description:
      '`retry`: check whether the write happened, and send it again if it did not. `send_again`: send it without this check. `discard`: end the write.',
  })
  readonly action: 'retry' | 'send_again' | 'discard';

  @ApiProperty({ description: 'Why, in the words of who decided.' })
  readonly reason: string;

  @ApiPropertyOptional({ description: 'Who decided. Absent where no name was given.' })
  readonly decided_by?: string;

  @ApiProperty({ format: 'date-time' })
  readonly made_at: string;
}
