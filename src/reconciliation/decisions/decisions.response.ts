import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { decisionStatuses, decisionKinds } from './decisions.dto';

const time = { format: 'date-time', pattern: '\\.\\d{3}Z$' } as const;

/** A record of a decision. */
export class DecidedRecord {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Native ID.' })
  readonly platform_id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The object that the record belongs to now; null while the platform does not have the record, and for a decision that ended because its platform is read from another company or sandbox.',
  })
  readonly canonical_id: string | null;
}

/** How a decision ended. */
export class DecisionWithdrawal {
  @ApiProperty(time)
  readonly at: string;

  @ApiProperty({
    description:
      'Who withdrew it: a person, or `the service`. A person also where the service had withdrawn it and the person kept it from being made again.',
  })
  readonly by: string;

  @ApiProperty({ description: 'Why.' })
  readonly reason: string;
}

/** A decision by a person. */
export class MatchingDecision {
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'ID of the decision; null for a dry run.',
  })
  readonly id: string | null;

  @ApiProperty({ enum: decisionKinds })
  readonly decision: (typeof decisionKinds)[number];

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({
    type: [DecidedRecord],
    description: 'The two records, in the order of precedence of their platforms.',
  })
  readonly records: readonly DecidedRecord[];

  @ApiProperty({ description: 'The reason, in the words of the person who decided.' })
  readonly reason: string;

  @ApiProperty({ description: 'Who decided.' })
  readonly decided_by: string;

  @ApiProperty(time)
  readonly decided_at: string;

  @ApiProperty({ enum: decisionStatuses })
  readonly status: (typeof decisionStatuses)[number];

  @ApiProperty({ type: DecisionWithdrawal, nullable: true, description: 'Null while the decision stands.' })
  readonly withdrawn: DecisionWithdrawal | null;
}

/** A record that belongs to another object because of a decision. */
export class ReassignedRecord {
  @ApiProperty({
    enum: storedEntityTypes,
    description:
      'Type of the record. It differs from the decision’s type if the record moved because its parents became one or were parted.',
  })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ description: 'Native ID.' })
  readonly platform_id: string;

  @ApiProperty({ description: 'The object that the record belongs to now.' })
  readonly canonical_id: string;

  @ApiProperty({
    description: 'The object that the record belonged to. If all its records moved, its ID is an alias now.',
  })
  readonly was: string;
}

/** The immediate effects of a decision. */
export class DecisionEffects {
  @ApiProperty({
    type: [ReassignedRecord],
    maxItems: 100,
    description: 'The first hundred records that belong to other objects now.',
  })
  readonly records: readonly ReassignedRecord[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The number of records that belong to other objects now.',
  })
  readonly records_total: number;
}

/** A decision with its effects. */
export class DecisionResult extends MatchingDecision {
  @ApiProperty({ type: DecisionEffects })
  readonly effects: DecisionEffects;

  @ApiProperty({ description: 'Whether it was a dry run, which writes nothing.' })
  readonly dry_run: boolean;
}
