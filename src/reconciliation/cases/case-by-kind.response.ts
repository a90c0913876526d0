import { platformNames, type PlatformName } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, IntersectionType } from '@nestjs/swagger';
import { OneOfClasses, schemaNameOf } from '../../common/openapi/one-of-classes.decorator';
import { nullableText } from '../../common/openapi/schemas/nullable-schemas';
import { caseSubjects } from '../../common/openapi/shapes/case-subjects.response';
import type { CaseKind } from '../../records/events/case-kinds';
import { MoneySum } from '../statement/statement.response';
import {
  CaseFindings,
  CommonCase,
  ComparedValues,
  DescribedProjects,
  type ProjectsByPlatform,
  type ValuesByPlatform,
} from './cases.response';

const projectsOfTwo = {
  type: DescribedProjects,
  description:
    'For two records in different projects: canonical IDs by platform, null for an unknown project.',
};
const keyOfRecord = { ...nullableText, description: 'The key of the record, as the platform writes it.' };
const amountOfRecord = { type: MoneySum, nullable: true, description: 'The amount of the record.' };

/** The values of the platforms, and the platform whose value counts. */
class DifferingValues {
  @ApiProperty({ type: ComparedValues, description: 'The value of each platform.' })
  readonly values: ValuesByPlatform;

  @ApiProperty({ enum: platformNames, description: 'Whose value counts.' })
  readonly stands: PlatformName;

  @ApiProperty({ description: 'Why the value of that platform counts.' })
  readonly why: string;
}

/** A record without a counterpart. */
class LonelyRecord {
  @ApiProperty({
    enum: platformNames,
    description:
      'The platform that does not have the object. In a list up to a day also the platform whose linked record is dated later: `records` names that record then.',
  })
  readonly missing_on: PlatformName;

  @ApiProperty(keyOfRecord)
  readonly number: string | null;

  @ApiProperty(amountOfRecord)
  readonly amount: MoneySum | null;
}

/** Two platforms have different values for a field. */
@ApiSchema({ name: 'DisagreementCase', description: 'Two platforms have different values for a field.' })
export class DisagreementCase extends IntersectionType(
  CommonCase,
  caseSubjects.disagreement,
  DifferingValues,
) {
  @ApiProperty({ enum: ['disagreement'] })
  readonly kind: 'disagreement';

  @ApiPropertyOptional(projectsOfTwo)
  readonly projects?: ProjectsByPlatform;
}

/** Only one of two platforms has the object. */
@ApiSchema({ name: 'OnlyOnCase', description: 'Only one of two platforms has the object.' })
export class OnlyOnCase extends IntersectionType(CommonCase, caseSubjects.only_on, LonelyRecord) {
  @ApiProperty({ enum: ['only_on'] })
  readonly kind: 'only_on';
}

/** Only one of two platforms has the object, and the other one has records with its key: the candidates. */
@ApiSchema({
  name: 'AmbiguousCase',
  description:
    'Only one of two platforms has the object, and the other one has records with its key: the candidates.',
})
export class AmbiguousCase extends IntersectionType(CommonCase, caseSubjects.ambiguous, LonelyRecord) {
  @ApiProperty({ enum: ['ambiguous'] })
  readonly kind: 'ambiguous';
}

/** A record belongs to another project than the record that it is linked to. */
@ApiSchema({
  name: 'OtherProjectCase',
  description: 'A record belongs to another project than the record that it is linked to.',
})
export class OtherProjectCase extends IntersectionType(CommonCase, caseSubjects.other_project) {
  @ApiProperty({ enum: ['other_project'] })
  readonly kind: 'other_project';

  @ApiProperty(projectsOfTwo)
  readonly projects: ProjectsByPlatform;

  @ApiProperty(keyOfRecord)
  readonly number: string | null;

  @ApiProperty(amountOfRecord)
  readonly amount: MoneySum | null;
}

/** A field of a record cannot be read, or a linked record has no amount. */
@ApiSchema({
  name: 'UnreadableCase',
  description: 'A field of a record cannot be read, or a linked record has no amount.',
})
export class UnreadableCase extends IntersectionType(CommonCase, caseSubjects.unreadable) {
  @ApiProperty({ enum: ['unreadable'] })
  readonly kind: 'unreadable';

  @ApiProperty({ description: 'Why the field cannot be read.' })
  readonly problem: string;

  @ApiPropertyOptional(projectsOfTwo)
  readonly projects?: ProjectsByPlatform;
}

/**
 * Amounts cannot be compared: two values without a rate between them, an amount without a rate to the currency of the
 * statement, or an amount in a currency that is not known.
 */
@ApiSchema({
  name: 'NotComparableCase',
  description:
    'Amounts cannot be compared: two values without a rate between them, an amount without a rate to the currency of the statement, or an amount in a currency that is not known.',
})
export class NotComparableCase extends IntersectionType(CommonCase, caseSubjects.not_comparable) {
  @ApiProperty({ enum: ['not_comparable'] })
  readonly kind: 'not_comparable';

  @ApiPropertyOptional({
    type: ComparedValues,
    description: 'For two values: the value of each platform. `stands` and `why` are then present as well.',
  })
  readonly values?: ValuesByPlatform;

  @ApiPropertyOptional({ enum: platformNames, description: 'For two values: whose value counts.' })
  readonly stands?: PlatformName;

  @ApiPropertyOptional({ description: 'For two values: why the value of that platform counts.' })
  readonly why?: string;

  @ApiPropertyOptional({ ...amountOfRecord, description: 'For one record: its amount.' })
  readonly amount?: MoneySum | null;

  @ApiPropertyOptional({ description: 'For an amount in a currency that is not known: what is wrong.' })
  readonly problem?: string;

  @ApiPropertyOptional(projectsOfTwo)
  readonly projects?: ProjectsByPlatform;
}

const caseClasses = {
  disagreement: DisagreementCase,
  only_on: OnlyOnCase,
  ambiguous: AmbiguousCase,
  other_project: OtherProjectCase,
  unreadable: UnreadableCase,
  not_comparable: NotComparableCase,
} as const satisfies Record<CaseKind, Type<CommonCase>>;

/** A case: a difference between two platforms that a person may want to examine. */
export type CaseResponse = InstanceType<(typeof caseClasses)[CaseKind]>;

/** The description of {@link CaseResponse}. */
@OneOfClasses({
  name: 'ReconciliationCase',
  description:
    'A finding about two platforms that a person may want to check. `kind` says which members it has.',
  by: 'kind',
  classes: caseClasses,
})
export class DescribedCase {}

/** A case with all data that helps to decide it. */
export type CaseDetailResponse = CaseResponse & CaseFindings;

/** The description of {@link CaseDetailResponse}. */
@OneOfClasses({
  name: 'ReconciliationCaseDetail',
  description: 'A case with all data that helps to decide it. `kind` says which members it has.',
  by: 'kind',
  classes: Object.fromEntries(Object.entries(caseClasses).map(([kind, type]) => [kind, withFindings(type)])),
})
export class DescribedCaseDetail {}

function withFindings(type: Type<CommonCase>): Type<CommonCase & CaseFindings> {
  const detailed = IntersectionType(type, CaseFindings);
  ApiSchema({ name: `${schemaNameOf(type)}Detail` })(detailed);
  return detailed;
}
