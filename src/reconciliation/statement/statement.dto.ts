import {
  currencyCodes,
  isCurrency,
  isPlatformName,
  platformNames,
  storedEntityTypes,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, ValidateBy } from 'class-validator';
import { IsFileHead } from '../../common/validation/file-head.decorator';
import { IfPresent } from '../../common/validation/json-object.validator';
import {
  IsBoundCursor,
  IsPageSize,
  pageSizeSchema,
} from '../../common/validation/page-parameters.decorators';
import { PAGE_SIZE } from '../../common/paging/paging';
import { isPlainDate } from '../../common/paging/date-parameter';
import { IsTimeParameter } from '../../common/validation/time-parameter.decorator';
import { IsOneOf } from '../../common/validation/one-of.decorator';
import { IsQueryBoolean } from '../../common/validation/query-boolean.decorator';
import { ageBys, ageGroups, type AgeBy, type AgeGroup } from './figures/ages';
import { caseKinds, type CaseKind } from '../../records/events/case-kinds';

/** Two platform names, separated by a comma. */
export function IsPlatformPair(): PropertyDecorator {
  return ValidateBy({
    name: 'isPlatformPair',
    validator: {
      validate: (value: unknown) => platformPairIn(value) !== undefined,
      defaultMessage: () => `platforms must be two of ${platformNames.join(', ')}, with a comma between them`,
    },
  });
}

/** Parses the names of two platforms; they come in order of precedence. */
export function platformPairIn(value: unknown): readonly [PlatformName, PlatformName] | undefined {
  if (typeof value !== 'string') return undefined;
  const [one, other, ...more] = value.split(',');
  if (one === undefined || other === undefined || more.length > 0 || one === other) return undefined;
  if (!isPlatformName(one) || !isPlatformName(other)) return undefined;
  return platformNames.indexOf(one) < platformNames.indexOf(other) ? [one, other] : [other, one];
}

/** A calendar day, `YYYY-MM-DD`. */
export function IsDay(): PropertyDecorator {
  return ValidateBy({
    name: 'isDay',
    validator: {
      validate: isPlainDate,
      defaultMessage: (given) => `${given?.property} must be a day, such as 2026-06-30`,
    },
  });
}

/** An ISO 4217 code. */
export function IsCurrencyCode(): PropertyDecorator {
  return ValidateBy({
    name: 'isCurrencyCode',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isCurrency(value),
      defaultMessage: () => `currency must be an ISO 4217 code, such as ${currencyCodes[0] ?? 'USD'}`,
    },
  });
}

/** The parameters that a statement and its cases share. */
class ScopeQuery {
  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'Only this type.' })
  @IfPresent()
  @IsOneOf(storedEntityTypes)
  entity_type?: StoredEntityType;

  @ApiPropertyOptional({
    type: String,
    description: 'Canonical ID of a project, or an alias of it. Only the project’s records count.',
  })
  @IfPresent()
  @IsString()
  project_id?: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'Two platforms, separated by a comma; by default the first two. The response shows them in order of precedence.',
    example: 'platform_a,platform_b',
  })
  @IfPresent()
  @IsPlatformPair()
  platforms?: string;

  @IsTimeParameter(
    'Shows the books and the terms as they were known at this time. A date without a time means the end of that day in the customer’s time zone.',
  )
  as_of?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description:
      'Only documents up to this day, `YYYY-MM-DD`. A statement has those dated later in lines of their own.',
    example: '2026-06-30',
  })
  @IfPresent()
  @IsDay()
  through?: string;

  @ApiPropertyOptional({
    enum: ageBys,
    description:
      'From when ages count: since the difference was first `seen` (the default), from the date of the `document`, or from the day on which it is `due`.',
  })
  @IfPresent()
  @IsOneOf(ageBys)
  age_by?: AgeBy;

  @IsFileHead()
  head?: boolean;
}

/** Query of `GET /reconciliation`. */
export class StatementQuery extends ScopeQuery {
  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Z]{3}$',
    description: 'Currency of the control totals; by default that of the first platform’s connection.',
  })
  @IfPresent()
  @IsCurrencyCode()
  currency?: string;
}

/** The sort orders of cases. */
const caseSorts = ['age', 'amount', 'type', 'closed'] as const;
export type CaseSort = (typeof caseSorts)[number];

/** The states by which cases are listed. */
const listedStates = ['open', 'accepted', 'closed', 'all'] as const;
export type ListedState = (typeof listedStates)[number];

/** Query of `GET /reconciliation/cases`. */
export class CasesQuery extends ScopeQuery {
  @ApiPropertyOptional({
    enum: listedStates,
    description:
      '`open` (the default), `accepted`, `closed` or `all`. With `as_of`, the states of that time.',
  })
  @IfPresent()
  @IsOneOf(listedStates)
  state?: ListedState;

  @IsTimeParameter('With `state=closed`: only cases that were closed at this time or later.')
  closed_since?: string;

  @IsTimeParameter(
    'With `state=closed`: only cases that were closed at this time or earlier. A date without a time means the end of that day in the customer’s time zone.',
  )
  closed_until?: string;

  @ApiPropertyOptional({ type: String, description: 'Only cases of this owner.' })
  @IfPresent()
  @IsString()
  owner?: string;

  @ApiPropertyOptional({ enum: caseKinds, description: 'Only this kind.' })
  @IfPresent()
  @IsOneOf(caseKinds)
  kind?: CaseKind;

  @ApiPropertyOptional({
    enum: platformNames,
    description:
      'Only cases about a record of this platform; of `only_on`, the records that only this platform has. A case about both platforms, such as a disagreement, is left out.',
  })
  @IfPresent()
  @IsOneOf(platformNames)
  platform?: PlatformName;

  @ApiPropertyOptional({ type: String, description: 'Only cases of this canonical field or native path.' })
  @IfPresent()
  @IsString()
  field?: string;

  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Z]{3}$',
    description: 'Only cases with an amount in this currency.',
  })
  @IfPresent()
  @IsCurrencyCode()
  currency?: string;

  @ApiPropertyOptional({ enum: ageGroups, description: 'Only cases whose age in days is in this group.' })
  @IfPresent()
  @IsOneOf(ageGroups)
  age?: AgeGroup;

  @ApiPropertyOptional({
    enum: caseSorts,
    description:
      'The order: `age`, the oldest first (the default); `amount`, the largest difference first; `type`, by name of the type, then the oldest first; `closed`, those closed last first, which is the default of `state=closed` and allowed only with it.',
  })
  @IfPresent()
  @IsOneOf(caseSorts)
  sort?: CaseSort;

  @ApiPropertyOptional({
    type: Boolean,
    default: true,
    description:
      'Whether the response has `facets` beside the page. With `false` the response comes sooner: the service finds a page by an index, but may have to read the whole list to count.',
  })
  @IfPresent()
  @IsQueryBoolean()
  facets?: boolean;

  @IsPageSize(
    `Maximum number of cases on a page; ${PAGE_SIZE.usual} by default. A CSV file has all cases.`,
    pageSizeSchema,
  )
  limit?: number;

  @IsBoundCursor()
  cursor?: string;
}
