import { ApiProperty } from '@nestjs/swagger';

/** Who agreed to something with the customer, and why. */
export class TermReasonResponse {
  @ApiProperty({ type: String, nullable: true, description: 'Why it was agreed; null if nobody said.' })
  readonly reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Who agreed to it; null if nobody said.' })
  readonly decided_by: string | null;
}
