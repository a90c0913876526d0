import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsString, MaxLength } from 'class-validator';
import { listingSorts } from './listing/selection';
import { IsFileHead } from '../common/validation/file-head.decorator';
import { IfPresent } from '../common/validation/json-object.validator';
import { IsQueryBoolean } from '../common/validation/query-boolean.decorator';
import {
  IsBoundCursor,
  IsCursor,
  IsPageSize,
  pageSizeSchema,
} from '../common/validation/page-parameters.decorators';
import { PAGE_SIZE } from '../common/paging/paging';
import { dateSchema, IsPlainDate } from '../common/paging/date-parameter';
import { IsTimeParameter } from '../common/validation/time-parameter.decorator';
import { IsOneOf } from '../common/validation/one-of.decorator';

/** The message for a query without one of these parameters. */
export const missing = 'platform and entity_type are both required query parameters';

const sorts = ['id', ...listingSorts] as const;

/** Characters of a search. */
const LONGEST_SEARCH = 200;

/** Query of `GET /objects`. If either required parameter is missing, the message names both. */
export class ObjectsQuery {
  @ApiPropertyOptional({
    enum: platformNames,
    description:
      'The platform whose records are listed. It may be left out with `q` or `canonical_id`: each element is then an object, with its `records` by platform.',
  })
  @IfPresent()
  @IsOneOf(platformNames)
  platform?: PlatformName;

  @ApiProperty({ enum: storedEntityTypes, description: 'The type of the records.' })
  @IsDefined({ message: missing })
  @IsOneOf(storedEntityTypes)
  entity_type: StoredEntityType;

  @IsPageSize(
    `Maximum number of records on a page; with it the response is one page. A page holds fewer if its records are large, or if few of many have changed; only \`next_cursor\` tells whether there are more. With a \`cursor\` the default is ${PAGE_SIZE.usual}.`,
    pageSizeSchema,
  )
  limit?: number;

  @IsBoundCursor()
  cursor?: string;

  @IsTimeParameter(
    'Only records of objects that may have changed after this time: one of their records, a number or currency that they take from another record, a value beside the records, or the terms agreed with the customer. A date without a time means the start of that day in the customer’s time zone.',
  )
  modified_after?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Only the record of this object; an alias of it works too.',
  })
  @IfPresent()
  @IsString()
  canonical_id?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: LONGEST_SEARCH,
    description:
      'Only objects with a record whose number, title or name has words that begin with these, in any order. Words are separated by white space and compared as keys are: Unicode NFKC, without regard to case.',
    example: 'INV-20',
  })
  @IfPresent()
  @IsString()
  @MaxLength(LONGEST_SEARCH, { message: `q must have ${LONGEST_SEARCH} characters at most` })
  q?: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'Only objects with a record of this status: one of the words of the type’s `status`, or `unknown`.',
    example: 'approved',
  })
  @IfPresent()
  @IsString()
  status?: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'Only objects with a record of this project, which is named by its canonical ID or an alias of it. A record belongs to a project if the record, its contract or its invoice names the project. For contracts, invoices and payments.',
  })
  @IfPresent()
  @IsString()
  project_id?: string;

  @ApiPropertyOptional({
    ...dateSchema,
    description:
      'Only objects with a record whose document is dated this day or later: `contract_date`, `invoice_date`, or `date` of a payment.',
  })
  @IfPresent()
  @IsPlainDate()
  date_from?: string;

  @ApiPropertyOptional({
    ...dateSchema,
    description:
      'Only objects with a record whose document is dated this day or earlier, by the same fields as `date_from`.',
  })
  @IfPresent()
  @IsPlainDate()
  date_to?: string;

  @ApiPropertyOptional({
    enum: sorts,
    description:
      'The order: by native ID, or by a value of the platform’s document: its number (of a payment its check number) as keys are compared, its date, or its amount. With `-` the largest comes first. Amounts are ordered as numbers, whatever their currency. Records without the value count as the smallest. A record whose value changes between two pages may be missed or listed twice.',
  })
  @IfPresent()
  @IsOneOf(sorts)
  sort?: (typeof sorts)[number];

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Adds `total` to the page: the number of elements in all, counted up to 10,000. `total_exact` is false if there are more. Cannot be combined with `modified_after` or `include_deleted`.',
  })
  @IfPresent()
  @IsQueryBoolean()
  count?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Also lists records that the platform no longer has. These have `deleted_at`.',
  })
  @IfPresent()
  @IsQueryBoolean()
  include_deleted?: boolean;

  @IsTimeParameter(
    'For a CSV file: the records as they were known at this time. A date without a time means the end of that day in the customer’s time zone.',
  )
  as_of?: string;

  @IsFileHead()
  head?: boolean;
}

/** Query of `GET /objects/{canonical_id}`. */
export class ObjectQuery {
  @IsTimeParameter(
    'The object as it was known at this time, with its records and the terms of that time. A date without a time means the end of that day in the customer’s time zone.',
  )
  as_of?: string;
}

/** Query of `GET /objects/{canonical_id}/history`. */
export class HistoryQuery {
  @IsPageSize(
    `Maximum number of entries on a page; ${PAGE_SIZE.usual} by default. A page may hold fewer; \`next_cursor\` tells whether there are more.`,
    pageSizeSchema,
  )
  limit?: number;

  @IsCursor()
  cursor?: string;
}
