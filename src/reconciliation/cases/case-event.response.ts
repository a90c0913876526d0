import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { closedBys, type ClosedBy } from '../comparisons/case-parts';
import { nullableText, orNull } from '../../common/openapi/schemas/nullable-schemas';

/** What closed a case. */
@ApiSchema({ name: 'CaseClosedBy' })
export class CaseClosedBy {
  @ApiProperty({
    enum: closedBys,
    description:
      '`propagation`: a change through this service, or a later outcome of it on a platform. `decision`: a person decided. `run`: a platform was read. `record_gone`: a platform no longer has the record. `terms`: rates or precedence changed.',
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
    description: 'Why the change or the decision was made; null if nobody said, and for a reading.',
  })
  readonly reason: string | null;

  @ApiProperty({ ...nullableText, description: 'Who decided it; null if nobody said, and for a reading.' })
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
    description: 'When the acceptance ends and the case is open again, as it was given; null without an end.',
  })
  readonly until: string | null;
}

/** Maximum number of events that a case shows. */
export const HISTORY_EVENTS = 100;

/** The types of entries in the history of a case. */
const caseEventTypes = ['opened', 'owner', 'accepted', 'taken_back', 'reopened', 'note', 'closed'] as const;

/** Why a case is open again. */
const reopenings = ['value_changed', 'until_passed', 'returned'] as const;

/** Something that happened to a case. */
export class CaseEvent {
  @ApiProperty({
    enum: caseEventTypes,
    description:
      '`opened`: first seen. `owner`: assigned to a person, or to nobody. `accepted`: a person accepted the difference. `taken_back`: a person took the acceptance back. `reopened`: open again, see `why`. `note`: a person added a note. `closed`: settled.',
  })
  readonly type: (typeof caseEventTypes)[number];

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'For `owner`: who works on the case; null for nobody.',
  })
  readonly owner?: string | null;

  @ApiPropertyOptional({ description: 'For `accepted`: why the difference may stay.' })
  readonly reason?: string;

  @ApiPropertyOptional({ description: 'For `accepted`: the person who decided.' })
  readonly decided_by?: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'For `accepted`: when the acceptance ends; null without an end.',
  })
  readonly until?: string | null;

  @ApiPropertyOptional({
    enum: reopenings,
    description:
      'For `reopened`: a value on either side changed, `until` passed, or the case had been closed and appeared again.',
  })
  readonly why?: (typeof reopenings)[number];

  @ApiPropertyOptional({ description: 'For `note`: its text.' })
  readonly text?: string;

  @ApiPropertyOptional({ description: 'For `note`: the person who wrote it.' })
  readonly written_by?: string;

  @ApiPropertyOptional({
    type: CaseClosedBy,
    nullable: true,
    description: 'For `closed`: what settled the case.',
  })
  readonly closed_by?: CaseClosedBy | null;
}
