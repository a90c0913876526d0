import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfPresent } from './json-object.validator';
import { IsQueryBoolean } from './query-boolean.decorator';

/** A query parameter that leaves out the head of a CSV file. */
export function IsFileHead(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: Boolean,
      default: true,
      description:
        'For a CSV file: whether it begins with its head. `false` returns a plain rectangle: the names of the columns, then the rows, all with the same number of cells.',
    }),
    IfPresent(),
    IsQueryBoolean(),
  );
}
