import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ageGroups, type AgeGroup } from './ages';
import { incompleteReasons, type IncompleteReason } from './completeness';

const count = { type: 'integer', minimum: 0 } as const;
const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] };

/** A number for each platform of the statement. */
@ApiSchema({ name: 'PlatformCounts' })
class DescribedPlatformCounts {}
for (const platform of platformNames) {
  ApiProperty({ ...count, required: false })(DescribedPlatformCounts.prototype, platform);
}
export type PlatformCounts = Readonly<Partial<Record<PlatformName, number>>>;

/** Numbers of open items by age. */
@ApiSchema({ name: 'OpenItemAges' })
class DescribedAges {}
for (const group of ageGroups) ApiProperty(count)(DescribedAges.prototype, group);
export type AgesAnswer = Readonly<Record<AgeGroup, number>>;

/** A sum of money. */
@ApiSchema({ name: 'MoneySum' })
export class MoneySum {
  @ApiProperty({ type: 'integer', description: 'Minor units. A sum may be larger than any single amount.' })
  readonly amount: unknown;

  @ApiProperty({ description: 'ISO 4217.' })
  readonly currency: string;
}

/** How objects stand between the two platforms. */
export class StatementCounts {
  @ApiProperty({ ...count, description: 'Both platforms have it and say the same.' })
  readonly agree: number;

  @ApiProperty({ ...count, description: 'Both have it and differ in a field at least.' })
  readonly disagree: number;

  @ApiProperty({ type: DescribedPlatformCounts, description: 'One has it, by platform.' })
  readonly only_on: PlatformCounts;

  @ApiProperty({ ...count, description: 'One has it, and the other has a record with its key.' })
  readonly ambiguous: number;

  @ApiProperty({
    type: DescribedPlatformCounts,
    description: 'Records that are gone from their platform. No other figure has them.',
  })
  readonly deleted: PlatformCounts;
}

/** One platform's records of a type, added up. */
export class StatementSum {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ ...count, description: 'All its records of the type.' })
  readonly records: number;

  @ApiProperty({ ...count, description: 'Those in the sum.' })
  readonly summed: number;

  @ApiProperty({ ...count, description: 'Those without an amount that can be read.' })
  readonly without_amount: number;

  @ApiProperty({ type: MoneySum, description: 'Each record converted once, then added.' })
  readonly sum: MoneySum;
}

/** What leads from one sum to the other by one cause. */
export class StatementLine {
  @ApiProperty({
    description:
      '`only_on_<platform>`, `ambiguous`, `other_project` (of a project alone), `amounts_disagree`, `rounding`, `no_amount`, `not_comparable`, and with `through` also `dated_after_<platform>`, in this order.',
  })
  readonly cause: string;

  @ApiProperty({
    ...count,
    description: 'Objects behind the line; behind `rounding` those that add something to it.',
  })
  readonly objects: number;

  @ApiProperty({ type: MoneySum, description: 'What is added on the way to the second sum.' })
  readonly amount: MoneySum;
}

/** Records that no sum has, for want of a rate. */
export class OutsideSums {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty(count)
  readonly records: number;

  @ApiProperty({ type: MoneySum, description: 'Their sum in their own currency.' })
  readonly sum: MoneySum;
}

/** `from.sum`, and the amounts of all lines, come to `to.sum` to the minor unit. */
export class ControlTotalsAnswer {
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
    description: 'Objects that do not agree, by days since that was first seen, or as `age_by` says.',
  })
  readonly ages: AgesAnswer;

  @ApiProperty({
    type: ControlTotalsAnswer,
    nullable: true,
    description: 'Of contracts, invoices and payments; null for other types.',
  })
  readonly totals: ControlTotalsAnswer | null;
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
    description: 'As quoted; for a crossed pair both quotes. `quotes` says in which direction.',
  })
  readonly rate: string;

  @ApiProperty({
    type: [QuotedRate],
    description:
      'The quotes that it follows from, each with its direction: one, or for a pair that is crossed those of both ' +
      'currencies for one unit of `via`.',
  })
  readonly quotes: readonly QuotedRate[];

  @ApiProperty({ enum: ['customer', 'peg'], description: 'Agreed with the customer, or an official peg.' })
  readonly source: string;

  @ApiProperty({ description: 'Whether the quote names the pair the other way round.' })
  readonly inverted: boolean;

  @ApiProperty({ ...nullableText, description: 'The currency that the pair is crossed through.' })
  readonly via: string | null;

  @ApiProperty({ ...nullableText, description: 'When the rate was agreed; null for a peg.' })
  readonly set_at: string | null;
}

/** Why the statement does not say all. */
@ApiSchema({ name: 'IncompleteReason' })
class DescribedReason implements IncompleteReason {
  @ApiProperty({ enum: incompleteReasons })
  readonly reason: IncompleteReason['reason'];

  @ApiProperty({ anyOf: [{ type: 'string', enum: [...platformNames] }, { type: 'null' }] })
  readonly platform: PlatformName | null;

  @ApiProperty({ description: 'The same for people.' })
  readonly detail: string;
}

/** How the books of two platforms stand to each other. */
export class StatementAnswer {
  @ApiProperty({
    format: 'date-time',
    description:
      'The moment that all of it shows. A complete statement is given again by `as_of` with this time, taken over as it is.',
  })
  readonly as_of: string;

  @ApiProperty({
    description: 'Whether both platforms were read whole, and everything read is in the figures.',
  })
  readonly complete: boolean;

  @ApiProperty({ type: [DescribedReason], description: 'Why not, where it is not complete.' })
  readonly reasons: readonly IncompleteReason[];

  @ApiProperty({ enum: platformNames, isArray: true, description: 'From which platform to which it leads.' })
  readonly platforms: readonly PlatformName[];

  @ApiProperty({ description: 'Currency of all sums and lines.' })
  readonly currency: string;

  @ApiProperty({
    ...nullableText,
    description: 'Canonical ID of the project it is about; null for everything.',
  })
  readonly project_id: string | null;

  @ApiProperty({
    anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }],
    description: 'The day up to which documents count; null for all.',
  })
  readonly through: string | null;

  @ApiProperty({ type: [StatementType] })
  readonly types: readonly StatementType[];

  @ApiProperty({ type: [StatementRate], description: 'By which amounts were converted.' })
  readonly rates: readonly StatementRate[];

  @ApiProperty({ type: [String], description: 'Currencies of amounts without a rate into the statement’s.' })
  readonly missing_rates: readonly string[];

  @ApiProperty({
    pattern: '^sha256:[0-9a-f]{64}$',
    description:
      'SHA-256 of the figures and what they are about, without times and ages: equal books have equal digests.',
  })
  readonly digest: string;
}
