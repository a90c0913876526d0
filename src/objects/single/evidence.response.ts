import { platformNames, type PlatformName } from '@app/mapper';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
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

  @ApiProperty({ description: 'The key in the form in which keys are compared.' })
  readonly normalised: string;

  @ApiProperty({ description: 'The key as the platform writes it.' })
  readonly written: string;
}

/** A record that had the same key and was not linked. */
export class EvidenceCandidate extends EvidenceRecord implements Candidate {
  @ApiProperty({ description: 'The object of the candidate at that time.' })
  readonly canonical_id: string;

  @ApiProperty({
    enum: reasons,
    description:
      'Why it was not linked. `ruled_out`: a person decided that it is a different object. `other_parent`: it had another parent. `no_parent`: it had no parent. `repeats`: several records had its key and parent, or another record already had its place in the object.',
  })
  readonly why: RejectionReason;
}

/** What created a link: a run, a decision or a propagation. */
export class EvidenceMaker {
  @ApiPropertyOptional({ format: 'uuid' })
  readonly run_id?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly decision_id?: string;

  @ApiPropertyOptional({
    description: 'The person who decided, or who withdrew the decision if the withdrawal made the link.',
  })
  readonly decided_by?: string;

  @ApiPropertyOptional({ description: 'Why, in the words of that person.' })
  readonly reason?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly propagation_id?: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'ID of the request that made the propagation.',
  })
  readonly request_id?: string | null;
}

/** Why a record belongs to its object. */
@ApiExtraModels(EvidenceMaker)
export class LinkEvidenceResponse implements LinkEvidence {
  @ApiProperty({
    type: [EvidenceRecord],
    description: 'The records of the object at that time. The one that joined comes last.',
  })
  readonly records: readonly EvidenceRecord[];

  @ApiProperty({
    ...orNull({ type: 'string', enum: [...rules] }),
    description:
      '`unique_key`: the key occurred once on the platform of the record that joined, and once on the platform of another record. `key_in_parent`: the key occurred once on each of these platforms under the same parent. `decision`: a person decided so. `created`: a change through this service created the record. Null if the stored history no longer shows it.',
  })
  readonly rule: LinkRule | null;

  @ApiProperty({
    ...orNull({ type: 'integer' }),
    description: 'Version of the matching rule; null if no rule decided, or if the version is not known.',
  })
  readonly rule_version: number | null;

  @ApiProperty({ type: [EvidenceKey], description: 'Keys at the time of the link.' })
  readonly keys: readonly EvidenceKey[];

  @ApiProperty({ type: [String], description: 'Canonical IDs of the parents that decided among equal keys.' })
  readonly parents: readonly string[];

  @ApiProperty({
    type: [EvidenceCandidate],
    description: 'Other records that had the key, and why they were not linked.',
  })
  readonly candidates: readonly EvidenceCandidate[];

  @ApiProperty({ type: 'integer', description: 'The number of further candidates.' })
  readonly more_candidates: number;

  @ApiProperty({
    ...nullableTime,
    description:
      'When the record joined, or when the decision that had joined it was withdrawn and the rules kept the link; null for a link from before changes were kept.',
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
  @ApiProperty({
    type: EvidenceRecord,
    description: 'The record of this object from which people keep it apart.',
  })
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
