import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { closedBys, type ClosedBy } from '../comparisons/case-parts';
import { nullableText, orNull } from '../../common/openapi/schemas/nullable-schemas';

/** What closed a case. */
@ApiSchema({ name: 'CaseClosedBy' })
export class CaseClosedBy {
  @ApiProperty({
    enum: closedBys,
    description:
      '`propagation`: a change through this service, or what a platform said of it later. `decision`: of a person. `run`: a platform was read. `record_gone`: a platform does not have the record any more. `terms`: rates or precedence changed.',
  })
  readonly type: ClosedBy;

  @ApiProperty({
    ...orNull({ type: 'string', format: 'uuid' }),
    description:
      'ID of the propagation, the decision, the run (also of the one that missed the record) or the change of terms.',
  })
  readonly id: string | null;

  @ApiProperty({
    ...nullableText,
    description: 'Why the change or the decision was made; null where nobody said, and for a reading.',
  })
  readonly reason: string | null;

  @ApiProperty({ ...nullableText, description: 'Who decided it, in the same way.' })
  readonly decided_by: string | null;
}

/** Why a difference is left as it is. */
@ApiSchema({ name: 'CaseAcceptance' })
export class CaseAcceptance {
  @ApiProperty()
  readonly reason: string;

  @ApiProperty()
  readonly decided_by: string;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty({
    ...nullableText,
    description: 'When the case is open again in any case, as it was given; null for never.',
  })
  readonly until: string | null;
}

/** Maximum number of events that a case shows. */
export const HISTORY_EVENTS = 100;

/** The types of entries in the history of a case. */
const caseEventTypes = [
  'opened',
  'owner',
  'accepted',
  'taken_back',
  'reopened',
  'note',
  'closed',
] as const;

/** Why a case is open again. */
const reopenings = ['value_changed', 'until_passed', 'returned'] as const;

/** Something that happened to a case. */
export class CaseEvent {
  @ApiProperty({
    enum: caseEventTypes,
    description:
      '`opened`: first seen. `owner`: assigned, or to nobody. `accepted`, `taken_back`: a person’s decisions. `reopened`: open again, see `why`. `note`. `closed`: settled.',
  })
  readonly type: (typeof caseEventTypes)[number];

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiPropertyOptional({ ...nullableText, description: 'Of `owner`.' })
  readonly owner?: string | null;

  @ApiPropertyOptional({ description: 'Of `accepted`.' })
  readonly reason?: string;

  @ApiPropertyOptional({ description: 'Of `accepted`.' })
  readonly decided_by?: string;

  @ApiPropertyOptional({ ...nullableText, description: 'Of `accepted`.' })
  readonly until?: string | null;

  @ApiPropertyOptional({
    enum: reopenings,
    description:
      'Of `reopened`: a value on either side changed, `until` passed, or the case had been closed and is there again.',
  })
  readonly why?: (typeof reopenings)[number];

  @ApiPropertyOptional({ description: 'Of a note.' })
  readonly text?: string;

  @ApiPropertyOptional({ description: 'Of a note.' })
  readonly written_by?: string;

  @ApiPropertyOptional({ type: CaseClosedBy, nullable: true, description: 'Of `closed`.' })
  readonly closed_by?: CaseClosedBy | null;
}
