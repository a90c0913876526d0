import {
  platformNames,
  storedEntityTypes,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { anyValue } from '../../common/openapi/schema-names';
import { caseKinds, caseStates, closedBys, type CaseKind, type CaseState, type ClosedBy } from './case-parts';
import { MoneySum } from '../statement/statement.response';

const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const nullableDay = { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] };
const nullablePlatform = { anyOf: [{ type: 'string', enum: [...platformNames] }, { type: 'null' }] };

/** What one platform says of a field. */
@ApiSchema({ name: 'ComparedValue' })
export class ComparedValue {
  @ApiProperty({ ...anyValue, description: 'In canonical form.' })
  readonly canonical: JsonValue;

  @ApiProperty({
    ...anyValue,
    description: 'As the platform writes it; null where it follows from other records.',
  })
  readonly native: JsonValue;

  @ApiProperty({ ...nullableText, description: 'Native path of the value.' })
  readonly path: string | null;
}

/** Values by platform. */
@ApiSchema({ name: 'ComparedValues' })
export class ComparedValues {}
for (const platform of platformNames) {
  ApiPropertyOptional({ type: ComparedValue })(ComparedValues.prototype, platform);
}
export type ValuesByPlatform = Readonly<Partial<Record<PlatformName, ComparedValue>>>;

/** Projects by platform. */
@ApiSchema({ name: 'CaseProjects' })
export class DescribedProjects {}
for (const platform of platformNames) {
  ApiProperty({ type: 'string', nullable: true, required: false })(DescribedProjects.prototype, platform);
}
export type ProjectsByPlatform = Readonly<Partial<Record<PlatformName, string | null>>>;

/** A record, by its platform and native ID. */
@ApiSchema({ name: 'CaseRecord' })
export class CaseRecord {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty()
  readonly platform_id: string;
}

/** A field of two records. */
@ApiSchema({ name: 'ComparedField' })
export class ComparedFieldAnswer {
  @ApiProperty()
  readonly field: string;

  @ApiProperty({
    anyOf: [{ type: 'boolean' }, { type: 'null' }],
    description: 'Whether both say the same; null where only one says something.',
  })
  readonly same: boolean | null;

  @ApiProperty({ type: ComparedValues })
  readonly values: ValuesByPlatform;
}

/** A record with the same key on the platform that lacks the object. */
@ApiSchema({ name: 'CaseCandidate' })
export class CaseCandidate extends CaseRecord {
  @ApiProperty({ description: 'Canonical ID of its object.' })
  readonly canonical_id: string;

  @ApiProperty({ description: 'Whether its object has a record on the other platform already.' })
  readonly linked: boolean;

  @ApiPropertyOptional({
    type: [ComparedFieldAnswer],
    description: 'Its fields beside those of the record; on a single read only.',
  })
  readonly compared?: readonly ComparedFieldAnswer[];
}

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
    anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }],
    description:
      'ID of the propagation, the decision, the run (also of the one that missed the record) or the change of terms.',
  })
  readonly id: string | null;
}

/** Something between two platforms that a person may want to look at. */
@ApiSchema({ name: 'ReconciliationCase' })
export class CaseAnswer {
  @ApiProperty({
    pattern: '^case_[0-9a-f]{32}$',
    description: 'Stays the same as long as the case is open, and when it is open again later.',
  })
  readonly id: string;

  @ApiProperty({ enum: caseKinds })
  readonly kind: CaseKind;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty()
  readonly canonical_id: string;

  @ApiProperty({
    ...nullableText,
    description:
      'Canonical ID of the project of its record; of two, of that of the first platform. Null without a known one.',
  })
  readonly project_id: string | null;

  @ApiPropertyOptional({
    type: DescribedProjects,
    description:
      'Of two records that belong to different projects: canonical IDs by platform, null for one that is not known.',
  })
  readonly projects?: ProjectsByPlatform;

  @ApiProperty({ type: [CaseRecord], description: 'The records of the object that the case is about.' })
  readonly records: readonly CaseRecord[];

  @ApiProperty({
    ...nullablePlatform,
    description: 'The platform of the one record that it is about; null for two.',
  })
  readonly platform: PlatformName | null;

  @ApiProperty({ ...nullableText, description: 'Canonical field, or native path of what cannot be read.' })
  readonly field: string | null;

  @ApiProperty({
    type: MoneySum,
    nullable: true,
    description:
      'What it adds on the way from the first platform’s sum to the second’s, in the usual currency. Between records of ' +
      'different projects: that of `other_project` in a list of a project, that of other kinds in a list of everything.',
  })
  readonly difference: MoneySum | null;

  @ApiProperty({ format: 'date-time', description: 'When it was first seen.' })
  readonly opened_at: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Days since `opened_at`; in a list with `age_by` since the date that it names.',
  })
  readonly age_days: number;

  @ApiProperty({
    ...nullableDay,
    description:
      'Day of its record: of a contract, invoice or payment. Of two records, of the first that has one. Null without one.',
  })
  readonly document_date: string | null;

  @ApiProperty({ ...nullableDay, description: 'When an invoice is due. Null without such a day.' })
  readonly due_date: string | null;

  @ApiProperty({ enum: caseStates, description: 'A `closed` case is settled, and stays readable.' })
  readonly state: CaseState;

  @ApiProperty({
    anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    description: 'The time of the change that closed it.',
  })
  readonly closed_at: string | null;

  @ApiProperty({
    type: CaseClosedBy,
    nullable: true,
    description: 'The change that closed it; null while it is open, and where the change is not known.',
  })
  readonly closed_by: CaseClosedBy | null;

  @ApiPropertyOptional({ type: ComparedValues, description: 'Of a disagreement: what each platform says.' })
  readonly values?: ValuesByPlatform;

  @ApiPropertyOptional({ enum: platformNames, description: 'Of a disagreement: whose value counts.' })
  readonly stands?: PlatformName;

  @ApiPropertyOptional({ description: 'Of a disagreement: why that one.' })
  readonly why?: string;

  @ApiPropertyOptional({ enum: platformNames, description: 'The platform that does not have the object.' })
  readonly missing_on?: PlatformName;

  @ApiPropertyOptional({ ...nullableText, description: 'The key of the one record, as it is written.' })
  readonly number?: string | null;

  @ApiPropertyOptional({ type: MoneySum, nullable: true, description: 'The amount of the one record.' })
  readonly amount?: MoneySum | null;

  @ApiProperty({
    type: [CaseCandidate],
    description:
      'Of an ambiguous record: the first 20 with its key on the other platform. Empty for any other case.',
  })
  readonly candidates: readonly CaseCandidate[];

  @ApiPropertyOptional({ description: 'Why a field cannot be read.' })
  readonly problem?: string;
}

/** A case with all that helps to decide it. */
@ApiSchema({ name: 'ReconciliationCaseDetail' })
export class CaseDetailAnswer extends CaseAnswer {
  @ApiProperty({ type: [ComparedFieldAnswer], description: 'The fields of the object on the two platforms.' })
  readonly compared: readonly ComparedFieldAnswer[];
}

/** How many cases have a value. */
@ApiSchema({ name: 'FacetCount' })
export class FacetCount {
  @ApiProperty()
  readonly value: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly count: number;
}

/** How many cases of the whole list there are, by what they can be filtered by. The 50 most frequent values of each. */
@ApiSchema({ name: 'CaseFacets' })
export class CaseFacets {
  @ApiProperty({ type: [FacetCount] })
  readonly kind: readonly FacetCount[];

  @ApiProperty({ type: [FacetCount] })
  readonly entity_type: readonly FacetCount[];

  @ApiProperty({ type: [FacetCount] })
  readonly field: readonly FacetCount[];

  @ApiProperty({ type: [FacetCount] })
  readonly project_id: readonly FacetCount[];

  @ApiProperty({ type: [FacetCount] })
  readonly age: readonly FacetCount[];

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly total: number;
}
