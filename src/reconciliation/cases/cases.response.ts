import {
  platformNames,
  storedEntityTypes,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { anyValue } from '../../common/openapi/schemas/schema-names';
import { caseStates, type CaseState } from '../comparisons/case-parts';
import { CaseAcceptance, CaseClosedBy, CaseEvent, HISTORY_EVENTS } from './case-event.response';
import { settledBys, type SettledBy } from './showing/settlement';
import { MoneySum } from '../statement/statement.response';
import {
  nullableDay,
  nullableText,
  nullableTime,
  orNull,
} from '../../common/openapi/schemas/nullable-schemas';
import { ForEachPlatform } from '../../common/openapi/for-each-platform.decorator';

/** A field's value on one platform. */
@ApiSchema({ name: 'ComparedValue' })
export class ComparedValue {
  @ApiProperty({ ...anyValue, description: 'In canonical form.' })
  readonly canonical: JsonValue;

  @ApiProperty({
    ...anyValue,
    description: 'As the platform writes it; null if it is derived from other records.',
  })
  readonly native: JsonValue;

  @ApiProperty({ ...nullableText, description: 'Native path of the value.' })
  readonly path: string | null;
}

/** Values by platform. */
@ApiSchema({ name: 'ComparedValues' })
@ForEachPlatform(ApiPropertyOptional({ type: ComparedValue }))
export class ComparedValues {}
export type ValuesByPlatform = Readonly<Partial<Record<PlatformName, ComparedValue>>>;

/** Projects by platform. */
@ApiSchema({ name: 'CaseProjects' })
@ForEachPlatform(ApiProperty({ type: 'string', nullable: true, required: false }))
export class DescribedProjects {}
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
export class ComparedFieldResponse {
  @ApiProperty()
  readonly field: string;

  @ApiProperty({
    ...orNull({ type: 'boolean' }),
    description: 'Whether the values are equal; null if only one platform has a value.',
  })
  readonly same: boolean | null;

  @ApiProperty({ type: ComparedValues })
  readonly values: ValuesByPlatform;
}

/** A record with the same key on the platform that lacks the object. */
@ApiSchema({ name: 'CaseCandidate' })
export class CaseCandidate extends CaseRecord {
  @ApiProperty({ description: 'Canonical ID of the candidate’s object.' })
  readonly canonical_id: string;

  @ApiProperty({ description: 'Whether that object already has a record on the other platform.' })
  readonly linked: boolean;

  @ApiPropertyOptional({
    type: [ComparedFieldResponse],
    description: 'The candidate’s fields compared with the record’s; only in the response of a single case.',
  })
  readonly compared?: readonly ComparedFieldResponse[];
}

/** The project of a case. */
@ApiSchema({ name: 'CaseProject' })
export class CaseProject {
  @ApiProperty({ description: 'Canonical ID.' })
  readonly id: string;

  @ApiProperty({ ...nullableText, description: 'Null while no platform has the project.' })
  readonly name: string | null;
}

/** The amount of a case's record on one platform. */
@ApiSchema({ name: 'CaseAmount' })
export class CaseAmount {
  @ApiProperty({
    type: MoneySum,
    description: 'The amount in the currency of the record, with the sign of canonical amounts.',
  })
  readonly native: MoneySum;

  @ApiProperty({
    type: MoneySum,
    nullable: true,
    description:
      'The amount in the currency of `difference`, as it was converted for it. Null without a rate.',
  })
  readonly converted: MoneySum | null;
}

/** Amounts by platform. */
@ApiSchema({ name: 'CaseAmounts' })
@ForEachPlatform(ApiPropertyOptional({ type: CaseAmount, nullable: true }))
export class CaseAmounts {}

/** Addresses of records by platform. */
@ApiSchema({ name: 'CaseLinks' })
@ForEachPlatform(ApiPropertyOptional({ type: 'string', nullable: true }))
export class CaseLinks {}

/** Whether a change may write, by platform. */
@ApiSchema({ name: 'CaseWritable' })
@ForEachPlatform(
  ApiPropertyOptional({ type: Object, anyOf: [{ type: 'boolean', enum: [true] }, { type: 'string' }] }),
)
export class CaseWritable {}

/** How a case can be settled. */
@ApiSchema({ name: 'CaseSettlement' })
export class CaseSettlement {
  @ApiProperty({
    enum: settledBys,
    description:
      'What would settle it. `propagate`: a change through this service. `decision`: a decision about which records are one. `platform`: a change on the platform itself. `none`: none of these, but for instance an agreed rate; also for a closed case.',
  })
  readonly by: SettledBy;

  @ApiPropertyOptional({
    description:
      'The canonical field to write, or the native path of a value that cannot be read. Without one, `propagate` creates the missing record.',
  })
  readonly field?: string;

  @ApiProperty({
    type: CaseWritable,
    description:
      'For each platform on which a change would write: true, or why it may not. A dry run shows the locks of single records.',
  })
  readonly writable: Readonly<Partial<Record<PlatformName, true | string>>>;
}

/** What cases of all kinds have. */
export class CommonCase {
  @ApiProperty({
    pattern: '^case_[0-9a-f]{32}$',
    description: 'Stays the same while the case is open, and when it is opened again later.',
  })
  readonly id: string;

  @ApiProperty({
    ...nullableText,
    description:
      'Changes whenever a value changes for which an acceptance of the case stands. A review can name it. It has no other meaning. Null if an earlier release stored the case.',
  })
  readonly version: string | null;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty()
  readonly canonical_id: string;

  @ApiProperty({
    ...nullableText,
    description:
      'What names the object: its number and its title or name. At most 200 characters; null for one that has neither.',
  })
  readonly label: string | null;

  @ApiProperty({
    ...nullableText,
    description:
      'Name of the company that the record is with, by itself or by its contract or invoice. Null if none is known.',
  })
  readonly counterparty: string | null;

  @ApiProperty({ type: CaseProject, nullable: true, description: 'The project of `project_id`.' })
  readonly project: CaseProject | null;

  @ApiProperty({
    ...nullableText,
    description:
      'Canonical ID of the project of the record; for two records, that of the first platform’s. Null if no project is known.',
  })
  readonly project_id: string | null;

  @ApiProperty({ type: [CaseRecord], description: 'The records of the case’s object.' })
  readonly records: readonly CaseRecord[];

  @ApiProperty({
    type: MoneySum,
    nullable: true,
    description:
      'What the case adds to the difference between the first and the second platform’s sum, in the usual currency. For records of ' +
      'different projects, a case `other_project` has the difference in a list of one project, and a case of another kind has it in a list of all projects.',
  })
  readonly difference: MoneySum | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When the service first saw it, or saw it again after it had been closed.',
  })
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

  @ApiProperty({
    enum: caseStates,
    description:
      'In an `accepted` case a person has accepted the difference; see `accepted`. A `closed` case is settled, and stays readable.',
  })
  readonly state: CaseState;

  @ApiProperty({
    ...nullableTime,
    description: 'The time of the change that closed it.',
  })
  readonly closed_at: string | null;

  @ApiProperty({
    type: CaseClosedBy,
    nullable: true,
    description: 'The change that closed it; null while it is open, and where the change is not known.',
  })
  readonly closed_by: CaseClosedBy | null;

  @ApiProperty({ ...nullableText, description: 'Who works on it; null for nobody.' })
  readonly owner: string | null;

  @ApiProperty({
    type: CaseAcceptance,
    nullable: true,
    description: 'Why its difference is accepted; null unless it is.',
  })
  readonly accepted: CaseAcceptance | null;

  @ApiProperty({
    type: CaseAmounts,
    description: 'The amounts of the records on the platforms of the case; null where there is none.',
  })
  readonly amounts: Readonly<Partial<Record<PlatformName, CaseAmount | null>>>;

  @ApiProperty({
    type: CaseLinks,
    description:
      'The addresses of the records in the APIs of their platforms. Null in a sandbox, and where the address does not follow from the connection and the record.',
  })
  readonly links: Readonly<Partial<Record<PlatformName, string | null>>>;

  @ApiProperty({ type: CaseSettlement, description: 'What would settle it, and where.' })
  readonly settlement: CaseSettlement;

  @ApiProperty({
    type: [CaseCandidate],
    description:
      'For an ambiguous record: the first 20 records with its key on the other platform. Empty for other cases.',
  })
  readonly candidates: readonly CaseCandidate[];
}

/** What helps to decide a case. */
export class CaseFindings {
  @ApiProperty({
    type: [ComparedFieldResponse],
    description: 'The fields of the case’s records as they are now, and of what they are linked with.',
  })
  readonly compared: readonly ComparedFieldResponse[];

  @ApiProperty({
    type: [CaseEvent],
    description: `What happened to it, the latest first: at most ${HISTORY_EVENTS} events.`,
  })
  readonly history: readonly CaseEvent[];
}

/** The number of cases with a value. */
@ApiSchema({ name: 'FacetCount' })
export class FacetCount {
  @ApiProperty()
  readonly value: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly count: number;
}

/** The numbers of cases in the whole list, by filter. Each has its 50 most frequent values. */
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

  @ApiProperty({ type: [FacetCount] })
  readonly state: readonly FacetCount[];

  @ApiProperty({ type: [FacetCount] })
  readonly owner: readonly FacetCount[];

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly total: number;
}
