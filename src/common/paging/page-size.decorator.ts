import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { PAGE_SIZE } from './paging';

/** The decorators of the query parameter `limit`: the most elements that a page may hold. */
export function IsPageSize(): PropertyDecorator {
  const message = `limit must be a whole number from 1 to ${PAGE_SIZE.most}`;
  return applyDecorators(
    Type(() => Number),
    IsInt({ message }),
    Min(1, { message }),
    Max(PAGE_SIZE.most, { message }),
  );
}
