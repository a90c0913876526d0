import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ageGroups, type AgeGroup } from './figures/ages';
import { incompleteReasons, type IncompleteReason } from '../freshness/completeness';
import { nullableDay, nullablePlatform, nullableText } from '../../common/openapi/schemas/nullable-schemas';
import { ForEachPlatform } from '../../common/openapi/for-each-platform.decorator';

const count = { type: 'integer', minimum: 0 } as const;

/** A number for each platform of the statement. */
@ApiSchema({ name: 'PlatformCounts' })
@ForEachPlatform(ApiProperty({ ...count, required: false }))
class DescribedPlatformCounts {}
export type PlatformCounts = Readonly<Partial<Record<PlatformName, number>>>;

/** Numbers of open items by age. */
@ApiSchema({ name: 'OpenItemAges' })
class DescribedAges {}
for (const group of ageGroups) ApiProperty(count)(DescribedAges.prototype, group);
export type AgesResponse = Readonly<Record<AgeGroup, number>>;

/** A sum of money. */
@ApiSchema({ name: 'MoneySum' })
export class MoneySum {
  @ApiProperty({ type: 'integer', description: 'Minor units. A sum may be larger than any single amount.' })
  readonly amount: unknown;

  @ApiProperty({ description: 'ISO 4217.' })
  readonly currency: string;
}

/** Numbers of objects by their state between the two platforms. */
export class StatementCounts {
  @ApiProperty({ ...count, description: 'Both platforms have the object and agree on it.' })
  readonly agree: number;

  @ApiProperty({ ...count, description: 'Both platforms have the object and differ in at least one field.' })
  readonly disagree: number;

  @ApiProperty({ type: DescribedPlatformCounts, description: 'One has it, by platform.' })
  readonly only_on: PlatformCounts;

  @ApiProperty({
    ...count,
    description: 'One platform has the object, and the other has a record with its key.',
  })
  readonly ambiguous: number;

  @ApiProperty({
    ...count,
    description:
      'Of the objects that do not agree, those of which every case is accepted. The other counts include them.',
  })
  readonly accepted: number;

  @ApiProperty({
    type: DescribedPlatformCounts,
    description: 'Records that were deleted on their platform. No other figure includes them.',
  })
  readonly deleted: PlatformCounts;
}

/** One platform's records of a type, added up. */
export class StatementSum {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ ...count, description: 'All its records of the type.' })
  readonly records: number;

  @ApiProperty({ ...count, description: 'Records in the sum.' })
  readonly summed: number;

  @ApiProperty({ ...count, description: 'Records without a readable amount.' })
  readonly without_amount: number;

  @ApiProperty({ type: MoneySum, description: 'The sum of the records’ amounts, each converted once.' })
  readonly sum: MoneySum;
}

/** The part of a line that people have accepted. */
export class AcceptedPart {
  @ApiProperty(count)
  readonly objects: number;

  @ApiProperty({ type: MoneySum, description: 'The part of the line’s amount that these objects make up.' })
  readonly amount: MoneySum;
}

/** The difference between the two sums by one cause. */
export class StatementLine {
  @ApiProperty({
    description:
      '`only_on_<platform>`, `ambiguous`, `other_project` (of a project alone), `amounts_disagree`, `rounding`, `no_amount`, `not_comparable`, and with `through` also `dated_after_<platform>`, in this order.',
  })
  readonly cause: string;

  @ApiProperty({
    ...count,
    description: 'Objects behind the line. Behind `rounding`, the objects with a rounding difference.',
  })
  readonly objects: number;

  @ApiProperty({
    type: MoneySum,
    description: 'The amount that the line adds on the way from the first sum to the second.',
  })
  readonly amount: MoneySum;

  @ApiProperty({
    type: AcceptedPart,
    description: 'The part of the line whose cases are accepted. `objects` and `amount` include it.',
  })
  readonly accepted: AcceptedPart;
}

/** Records that are in no sum, because a rate is missing. */
export class OutsideSums {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty(count)
  readonly records: number;

  @ApiProperty({ type: MoneySum, description: 'The sum of these records in their own currency.' })
  readonly sum: MoneySum;
}

/** `from.sum` plus the amounts of all lines equals `to.sum` to the minor unit. */
export class ControlTotalsResponse {
  @ApiProperty({ type: StatementSum })
  readonly from: StatementSum;

  @ApiProperty({ type: [StatementLine] })
  readonly lines: readonly StatementLine[];

  @ApiProperty({ type: StatementSum })
  readonly to: StatementSum;

  @ApiProperty({ type: [OutsideSums] })
  readonly outside: readonly OutsideSums[];
}

/** The figures of one type. */
export class StatementType {
  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ type: StatementCounts })
  readonly counts: StatementCounts;

  @ApiProperty({
    type: DescribedAges,
    description:
      'Objects that do not agree, by days since that was first seen, or since the date that `age_by` names.',
  })
  readonly ages: AgesResponse;

  @ApiProperty({
    type: ControlTotalsResponse,
    nullable: true,
    description: 'For contracts, invoices and payments; null for other types.',
  })
  readonly totals: ControlTotalsResponse | null;
}

/** A rate as it was quoted: one unit of `from` is `rate` units of `to`. */
@ApiSchema({ name: 'QuotedRate' })
export class QuotedRate {
  @ApiProperty()
  readonly from: string;

  @ApiProperty()
  readonly to: string;

  @ApiProperty({ description: 'Decimal text.' })
  readonly rate: string;
}

/** A rate by which amounts were converted into the statement's currency. */
export class StatementRate {
  @ApiProperty()
  readonly from: string;

  @ApiProperty()
  readonly to: string;

  @ApiProperty({
    description: 'As quoted; both quotes for a crossed pair. `quotes` shows their directions.',
  })
  readonly rate: string;

  @ApiProperty({
    type: [QuotedRate],
    description:
      'The quotes behind the rate, each with its direction: one quote, or for a crossed pair the quotes of both ' +
      'currencies for one unit of `via`.',
  })
  readonly quotes: readonly QuotedRate[];

  @ApiProperty({ enum: ['customer', 'peg'], description: 'Agreed with the customer, or an official peg.' })
  readonly source: string;

  @ApiProperty({ description: 'Whether the quote is for the opposite direction of the pair.' })
  readonly inverted: boolean;

  @ApiProperty({
    ...nullableText,
    description: 'The currency through which the pair is crossed; null for a direct rate.',
  })
  readonly via: string | null;

  @ApiProperty({ ...nullableText, description: 'When the rate was agreed; null for a peg.' })
  readonly set_at: string | null;
}

/** Why the statement is incomplete. */
@ApiSchema({ name: 'IncompleteReason' })
class DescribedReason implements IncompleteReason {
  @ApiProperty({ enum: incompleteReasons })
  readonly reason: IncompleteReason['reason'];

  @ApiProperty(nullablePlatform)
  readonly platform: PlatformName | null;

  @ApiProperty({ description: 'The reason in words, for people.' })
  readonly detail: string;
}

/** The statement: how the books of two platforms compare. */
export class StatementResponse {
  @ApiProperty({
    format: 'date-time',
    description:
      'The moment that the statement shows. Sent unchanged as `as_of`, it returns a complete statement again.',
  })
  readonly as_of: string;

  @ApiProperty({
    description:
      'Whether both platforms were read completely and the figures include everything that was read.',
  })
  readonly complete: boolean;

  @ApiProperty({
    type: [DescribedReason],
    description: 'Why the statement is incomplete; empty if it is complete.',
  })
  readonly reasons: readonly IncompleteReason[];

  @ApiProperty({
    enum: platformNames,
    isArray: true,
    description: 'The platforms of the first and of the second sum.',
  })
  readonly platforms: readonly PlatformName[];

  @ApiProperty({ description: 'Currency of all sums and lines.' })
  readonly currency: string;

  @ApiProperty({
    ...nullableText,
    description: 'Canonical ID of the statement’s project; null for all projects.',
  })
  readonly project_id: string | null;

  @ApiProperty({
    ...nullableDay,
    description: 'The day up to which documents count; null for all.',
  })
  readonly through: string | null;

  @ApiProperty({ type: [StatementType] })
  readonly types: readonly StatementType[];

  @ApiProperty({ type: [StatementRate], description: 'The rates by which amounts were converted.' })
  readonly rates: readonly StatementRate[];

  @ApiProperty({ type: [String], description: 'Currencies without a rate into the statement’s currency.' })
  readonly missing_rates: readonly string[];

  @ApiProperty({
    pattern: '^sha256:[0-9a-f]{64}$',
    description:
      'SHA-256 of the figures and their scope, without times, ages and deleted records: equal books have equal digests. What is accepted is part of it.',
  })
  readonly digest: string;
}
