import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsTime, timeSchema } from '../paging/time-parameter';
import { IfPresent } from './json-object.validator';

/** A query parameter with a time, or a date for its start or end. */
export function IsTimeParameter(description: string): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ ...timeSchema, description }), IfPresent(), IsTime());
}
