import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { caseStates, type CaseState } from '../comparisons/case-parts';
import { CaseAcceptance } from '../cases/case-event.response';
import { nullableText } from '../../common/openapi/schemas/nullable-schemas';

/** What people say about a case. */
export class CaseReview {
  @ApiProperty({ description: 'ID of the case.' })
  readonly id: string;

  @ApiProperty({ enum: caseStates })
  readonly state: CaseState;

  @ApiProperty({ ...nullableText, description: 'Who works on it; null for nobody.' })
  readonly owner: string | null;

  @ApiProperty({
    type: CaseAcceptance,
    nullable: true,
    description: 'Null unless its difference is accepted.',
  })
  readonly accepted: CaseAcceptance | null;
}

/** A note about a case. */
@ApiSchema({ name: 'CaseNote' })
export class CaseNoteResponse {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ description: 'ID of the case.' })
  readonly case_id: string;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty()
  readonly text: string;

  @ApiProperty()
  readonly written_by: string;
}
