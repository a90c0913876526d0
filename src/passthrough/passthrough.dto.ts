import { isJsonObject, type JsonObject, type JsonValue } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { buildMessage, IsString, ValidateBy } from 'class-validator';
import { IsCursor, IsPageSize } from '../common/validation/page-parameters.decorators';
import { IfPresent, IsJsonObject } from '../common/validation/json-object.validator';
import { IsOneOf } from '../common/validation/one-of.decorator';
import { callerMethods, type CallerMethod } from '../platforms/caller-request';

const scalar = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

/** Body of `POST /platforms/{platform}/request`. */
export class PlatformRequestDto {
  @ApiProperty({ enum: callerMethods, description: 'All but `GET` count as writes.' })
  @IsOneOf(callerMethods)
  method: CallerMethod;

  @ApiProperty({
    example: '/rest/v1.0/vendors/7',
    description:
      'Begins with a slash and stays below the connection’s address: on `platform_a` that of the API, so that it begins with `/rest/v1.0` or another version; on `platform_b` that of the company, as in `/customers`. Percent-encoded, without query, and without a segment that is `.`, `..` or empty.',
  })
  @IsString()
  path: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { oneOf: [...scalar.oneOf, { type: 'array', items: scalar }] },
    description: 'Parameters of the query, not encoded. A list repeats its name.',
    example: { company_id: '8089', per_page: 100 },
  })
  @IfPresent()
  @IsJsonObject()
  query?: JsonObject;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      '`Accept`, `Accept-Language`, `If-Match`, `If-Modified-Since`, `If-None-Match` and `Prefer`; on `platform_a` also `Idempotency-Token`, on `platform_b` also `Data-Access-Intent`. All others are refused.',
    example: { 'If-Match': 'W/"JzE5OzExNjIw"' },
  })
  @IfPresent()
  @IsJsonObject()
  headers?: JsonObject;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
    ],
    description: 'Sent as JSON. Numbers keep their spelling.',
  })
  @IfPresent()
  @IsObjectOrList()
  body?: JsonValue;
}

/** Query of `GET /platforms/{platform}/requests`. */
export class PlatformRequestsQuery {
  @IsPageSize('Maximum number of requests on a page.')
  limit?: number;

  @IsCursor()
  cursor?: string;
}

function IsObjectOrList(): PropertyDecorator {
  return ValidateBy({
    name: 'isObjectOrList',
    validator: {
      validate: (value: unknown) => isJsonObject(value) || Array.isArray(value),
      defaultMessage: buildMessage((prefix) => `${prefix}$property must be a JSON object or a list`),
    },
  });
}
