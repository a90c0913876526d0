import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { LONGEST_CURSOR, PAGE_SIZE } from './paging';

/** The schema of a parameter that {@link IsPageSize} checks, without a default. */
export const pageSizeSchema = { type: 'integer', minimum: 1, maximum: PAGE_SIZE.most } as const;

/** The same for a list that is always read in pages. */
export const usualPageSizeSchema = { ...pageSizeSchema, default: PAGE_SIZE.usual } as const;

/** A whole number as the API's description has it. `Number` also reads `1e2`, `0x10`, `+5` and white space. */
const wholeNumber = /^[1-9]\d*$/;

/** The decorators of the query parameter `limit`: the most elements that a page may hold. */
export function IsPageSize(): PropertyDecorator {
  const message = `limit must be a whole number from 1 to ${PAGE_SIZE.most}`;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value,
    ),
    IsInt({ message }),
    Min(1, { message }),
    Max(PAGE_SIZE.most, { message }),
  );
}

/** The schema of the query parameter `cursor` of a list whose only parameters are those of its pages. */
export const cursorSchema = {
  type: String,
  maxLength: LONGEST_CURSOR,
  description: 'Where the page begins: `next_cursor` of the page before it.',
} as const;

/** The same for a list with other parameters, to which a cursor is bound. */
export const boundCursorSchema = {
  ...cursorSchema,
  description: `${cursorSchema.description} The other parameters must stay the same, except \`limit\`.`,
} as const;
