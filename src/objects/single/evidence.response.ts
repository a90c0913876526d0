import { platformNames, type PlatformName } from '@app/mapper';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath, ApiSchema } from '@nestjs/swagger';
import type {
  Candidate,
  LinkedRecord,
  LinkEvidence,
  LinkRule,
  RejectionReason,
} from '../../matching/evidence/evidence';
import type { RuledOut } from '../../matching/decisions/ruled-out.repository';
import { nullableText, nullableTime, orNull } from '../../common/openapi/schemas/nullable-schemas';

const rules: readonly LinkRule[] = ['unique_key', 'key_in_parent', 'decision', 'created'];
const reasons: readonly RejectionReason[] = ['ruled_out', 'other_parent', 'no_parent', 'repeats'];

/** A record of a link. */
export class EvidenceRecord implements LinkedRecord {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Native ID on that platform, as a string.' })
  readonly platform_id: string;
}

/** The key of a record at the time of a link. */
export class EvidenceKey {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'As keys are compared.' })
  readonly normalised: string;

  @ApiProperty({ description: 'As the platform writes it.' })
  readonly written: string;
}

/** A record that had the same key and was not linked. */
export class EvidenceCandidate extends EvidenceRecord implements Candidate {
  @ApiProperty({ description: 'Its object at the time.' })
  readonly canonical_id: string;

  @ApiProperty({
    enum: reasons,
    description:
      '`ruled_out`: a person said that it is another thing. `other_parent`, `no_parent`: its parent was another one, or it had none. `repeats`: several records had its key and parent, or its place was taken.',
  })
  readonly why: RejectionReason;
}

/** What created a link: a run, a decision or a propagation. */
export class EvidenceMaker {
  @ApiPropertyOptional({ format: 'uuid' })
  readonly run_id?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly decision_id?: string;

  @ApiPropertyOptional({ description: 'The person who decided.' })
  readonly decided_by?: string;

  @ApiPropertyOptional({ description: 'Why, in the words of that person.' })
  readonly reason?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly propagation_id?: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'Request of the propagation.',
  })
  readonly request_id?: string | null;
}

/** Why a record belongs to its object. */
@ApiExtraModels(EvidenceMaker)
@ApiSchema({ name: 'LinkEvidenceAnswer' })
export class LinkEvidenceResponse implements LinkEvidence {
  @ApiProperty({
    type: [EvidenceRecord],
    description: 'The records of the object then. The one that joined comes last.',
  })
  readonly records: readonly EvidenceRecord[];

  @ApiProperty({
    ...orNull({ type: 'string', enum: [...rules] }),
    description:
      '`unique_key`: its key occurred once on its platform, and once on another record’s. `key_in_parent`: its key occurred once under its parent, and another record’s once under the same. `decision`: a person said so. `created`: a change through this service created it there. Null where what is kept does not show it any more.',
  })
  readonly rule: LinkRule | null;

  @ApiProperty({
    ...orNull({ type: 'integer' }),
    description: 'Version of the rule of matching; null where no rule decided, or it is not known.',
  })
  readonly rule_version: number | null;

  @ApiProperty({ type: [EvidenceKey], description: 'Keys at the time of the link.' })
  readonly keys: readonly EvidenceKey[];

  @ApiProperty({ type: [String], description: 'Canonical IDs of the parents that decided among equal keys.' })
  readonly parents: readonly string[];

  @ApiProperty({
    type: [EvidenceCandidate],
    description: 'Other records that had the key, and why not they.',
  })
  readonly candidates: readonly EvidenceCandidate[];

  @ApiProperty({ type: 'integer', description: 'How many more of them there were.' })
  readonly more_candidates: number;

  @ApiProperty({
    ...nullableTime,
    description: 'When the record joined; null for a link from before changes were kept.',
  })
  readonly linked_at: string | null;

  @ApiProperty({
    ...orNull({ $ref: getSchemaPath(EvidenceMaker) }),
    description: 'What made the link; null for one from before changes were kept.',
  })
  readonly by: LinkEvidence['by'];
}

/** A record that a decision separates from a record of an object. */
export class RuledOutRecord extends EvidenceRecord implements RuledOut {
  @ApiProperty({ type: EvidenceRecord, description: 'The record of this object that it is not the same as.' })
  readonly record: EvidenceRecord;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The object that it belongs to; null while its platform does not have it.',
  })
  readonly canonical_id: string | null;

  @ApiProperty({ format: 'uuid', description: 'The `not_same` decision.' })
  readonly decision_id: string;

  @ApiProperty({ description: 'Why, in the words of the person who decided.' })
  readonly reason: string;

  @ApiProperty({ description: 'The person who decided.' })
  readonly decided_by: string;

  @ApiProperty({ format: 'date-time', pattern: '\\.\\d{3}Z$', description: 'When it was decided.' })
  readonly at: string;
}
