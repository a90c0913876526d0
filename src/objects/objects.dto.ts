import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsString, MaxLength } from 'class-validator';
import { listingSorts } from './listing/selection';
import { IsFileHead } from '../common/validation/file-head.decorator';
import { IfPresent } from '../common/validation/json-object.validator';
import { IsQueryBoolean } from '../common/validation/query-boolean.decorator';
import {
  boundCursorSchema,
  cursorSchema,
  IsPageSize,
  pageSizeSchema,
} from '../common/paging/page-parameters';
import { PAGE_SIZE } from '../common/paging/paging';
import { dateSchema, IsPlainDate } from '../common/paging/date-parameter';
import { IsTime, timeSchema } from '../common/paging/time-parameter';
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
      'The platform whose records are listed. It may be left out with `q` or `canonical_id`: an element is an object then, with its `records` by platform.',
  })
  @IfPresent()
  @IsOneOf(platformNames)
  platform?: PlatformName;

  @ApiProperty({ enum: storedEntityTypes, description: 'The type of the records.' })
  @IsDefined({ message: missing })
  @IsOneOf(storedEntityTypes)
  entity_type: StoredEntityType;

  @ApiPropertyOptional({
    ...pageSizeSchema,
    description: `Answers page by page: the most records that a page may hold. A page holds fewer where its records are large, or where few of many have changed; \`next_cursor\` alone says whether there are more. With a \`cursor\` and without this it is ${PAGE_SIZE.usual}.`,
  })
  @IfPresent()
  @IsPageSize()
  limit?: number;

  @ApiPropertyOptional(boundCursorSchema)
  @IfPresent()
  @IsString()
  cursor?: string;

  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'Only records of objects in which something may have changed after this time: a record, a number or currency that it takes from another one, a value beside the records, or the terms agreed with the customer. A date without a time means the start of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
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
      'Only objects with a record of this project, by its canonical ID or an alias of it: one that names it, or whose contract or invoice does. For contracts, invoices and payments.',
  })
  @IfPresent()
  @IsString()
  project_id?: string;

  @ApiPropertyOptional({
    ...dateSchema,
    description:
      'Only objects with a record whose document is of this day or later: `contract_date`, `invoice_date`, or `date` of a payment.',
  })
  @IfPresent()
  @IsPlainDate()
  date_from?: string;

  @ApiPropertyOptional({
    ...dateSchema,
    description: 'The same, of this day or earlier.',
  })
  @IfPresent()
  @IsPlainDate()
  date_to?: string;

  @ApiPropertyOptional({
    enum: sorts,
    description:
      'The order: by native ID, or by what the platform’s document has: its number (of a payment its check number) as keys are compared, its date, or its amount; with `-` the largest first. Amounts are ordered as numbers, whatever their currency. Records without the value are the smallest. A record whose value changes between two pages may be missed or come twice.',
  })
  @IfPresent()
  @IsOneOf(sorts)
  sort?: (typeof sorts)[number];

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Answers a page with `total` beside it: how many there are in all, counted up to 10,000. `total_exact` is false where there are more. Not with `modified_after` or `include_deleted`.',
  })
  @IfPresent()
  @IsQueryBoolean()
  count?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Also records that are gone from the platform. These have `deleted_at`.',
  })
  @IfPresent()
  @IsQueryBoolean()
  include_deleted?: boolean;

  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'Of a CSV file: the records as they were known at this time. A date without a time means the end of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
  as_of?: string;

  @IsFileHead()
  head?: boolean;
}

/** Query of `GET /objects/{canonical_id}`. */
export class ObjectQuery {
  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'The object as it was known at this time, with its records and the terms of then. A date without a time means the end of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
  as_of?: string;
}

/** Query of `GET /objects/{canonical_id}/history`. */
export class HistoryQuery {
  @ApiPropertyOptional({
    ...pageSizeSchema,
    description: `The most entries that a page may hold, ${PAGE_SIZE.usual} unless set. A page may hold fewer; \`next_cursor\` says whether there are more.`,
  })
  @IfPresent()
  @IsPageSize()
  limit?: number;

  @ApiPropertyOptional(cursorSchema)
  @IfPresent()
  @IsString()
  cursor?: string;
}
