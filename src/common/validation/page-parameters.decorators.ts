import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { IfPresent } from './json-object.validator';
import { LONGEST_CURSOR, PAGE_SIZE } from '../paging/paging';

/** The schema of a `limit` without a default: its description says what applies without one. */
export const pageSizeSchema = { type: 'integer', minimum: 1, maximum: PAGE_SIZE.most } as const;

/** The same for a list that is always read in pages. */
const usualPageSizeSchema = { ...pageSizeSchema, default: PAGE_SIZE.usual } as const;

/** A whole number as the API's description has it. `Number` also reads `1e2`, `0x10`, `+5` and white space. */
const wholeNumber = /^[1-9]\d*$/;

/** The query parameter `limit`: the most elements that a page may hold. */
export function IsPageSize(
  description: string,
  schema: typeof pageSizeSchema = usualPageSizeSchema,
): PropertyDecorator {
  const message = `limit must be a whole number from 1 to ${PAGE_SIZE.most}`;
  return applyDecorators(
    ApiPropertyOptional({ ...schema, description }),
    IfPresent(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value,
    ),
    IsInt({ message }),
    Min(1, { message }),
    Max(PAGE_SIZE.most, { message }),
  );
}

const beginning = 'Where the page begins: `next_cursor` of the page before it.';

/** The query parameter `cursor` of a list whose only parameters are those of its pages. */
export function IsCursor(): PropertyDecorator {
  return IsCursorWith(beginning);
}

/** The same for a list with other parameters, to which a cursor is bound. */
export function IsBoundCursor(): PropertyDecorator {
  return IsCursorWith(`${beginning} The other parameters must stay the same, except \`limit\`.`);
}

function IsCursorWith(description: string): PropertyDecorator {
  const schema = { type: String, maxLength: LONGEST_CURSOR, description };
  return applyDecorators(ApiPropertyOptional(schema), IfPresent(), IsString());
}
