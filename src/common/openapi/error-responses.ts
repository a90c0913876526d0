import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ErrorBody } from '../errors/error-body';
import { ERROR_STATUS, type ErrorType } from '../errors/api-error';
import { anyValue } from './schemas/schema-names';

/** A field whose value in a writer's old version differs from the present object. */
class FieldConflictResponse {
  @ApiProperty({ description: 'The canonical field.' })
  readonly field: string;

  @ApiProperty({
    ...anyValue,
    description: 'The value in the version of `If-Match`. Also null if that version is not known.',
  })
  readonly base: unknown;

  @ApiProperty({ ...anyValue, description: 'The value now.' })
  readonly theirs: unknown;

  @ApiProperty({
    ...anyValue,
    description:
      'The value that the change requests; the value of `base` if the change does not name the field.',
  })
  readonly mine: unknown;
}

class ErrorDetails {
  @ApiPropertyOptional({
    type: [FieldConflictResponse],
    description:
      'For a refused `If-Match`: the fields that changed since that version, and the fields that the change names.',
  })
  readonly conflicts?: readonly FieldConflictResponse[];

  @ApiPropertyOptional({
    description: 'For a signature under another digest: the digest of the statement that the request names.',
  })
  readonly digest?: string;

  @ApiPropertyOptional({
    type: [String],
    description:
      'For a signature under an incomplete statement: why it is incomplete, as in `reasons` of the statement.',
  })
  readonly reasons?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'For the withdrawal of a preparation that is reviewed: the IDs of the reviews.',
  })
  readonly reviews?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description:
      'For a review of cases by their versions: the IDs of those that have another version by now.',
  })
  readonly cases?: readonly string[];
}

class ErrorDetail {
  @ApiProperty({
    description: 'What went wrong, for programs. A type never changes its meaning.',
    enum: Object.keys(ERROR_STATUS),
  })
  readonly type: ErrorType;

  @ApiProperty({ description: 'What went wrong, for people. The words may change.' })
  readonly message: string;

  @ApiProperty({
    description: 'Equals the `X-Request-ID` header of the answer.',
    pattern: '^req_[0-9A-Za-z]+$',
  })
  readonly request_id: string;

  @ApiPropertyOptional({ type: ErrorDetails, description: 'What went wrong, as data.' })
  readonly details?: ErrorDetails;
}

/** The members of every error response. */
export class ErrorResponse implements ErrorBody {
  @ApiProperty({ type: ErrorDetail })
  readonly error: ErrorDetail;
}

/** Every error status, and when it occurs. Operations may describe it more precisely. */
export const errorMeanings = {
  400: 'The request does not match its description; the message names each field. The same holds for a body that is not a JSON object, is not UTF-8, nests deeper than 100 levels, or has more than 40,000 objects and lists or 10,000 different names of members, and for text with a NUL character or half of a surrogate pair.',
  401: 'The API key is missing, malformed, unknown, revoked or expired.',
  403: 'The key is valid but does not have the permission that the operation needs; the message names it.',
  404: 'There is no such entity, mapping or resource.',
  408: 'The request took more than a minute to arrive, or its body came too slowly.',
  409: 'The request contradicts the stored data, or other work on the same records is under way. Then `Retry-After` is the number of seconds to wait.',
  413: 'The body is larger than the limit (1 MB unless set otherwise).',
  415: 'The Content-Type is not `application/json` in UTF-8, or the Content-Encoding is none of gzip, deflate and br. The Content-Type is needed even if the body is empty.',
  422: 'The record cannot be translated; the message names the field and the problem.',
  429: 'Too many demo sessions from one address; `Retry-After` is the number of seconds to wait.',
  431: 'The header fields are too large.',
  500: 'A fault of the service. Its operator can find it by the request ID.',
  502: 'The database cannot be reached, or too much other work waits for it. Then `Retry-After` is the number of seconds to wait.',
} as const;

/** The meaning of 429 for a request that adds to the stored data. */
export const STORAGE_FULL =
  'The storage quota of the demo session is used up, and nothing was done. The message names what is full; `Retry-After` is the number of seconds to wait. Customers with keys of the operator never get this response.';

export type ErrorStatus = keyof typeof errorMeanings;

/** Names of the responses that operations share, in the document. */
export const errorNames: Readonly<Record<ErrorStatus, string>> = {
  400: 'InvalidInput',
  401: 'NotAuthenticated',
  403: 'NotAuthorized',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Untranslatable',
  429: 'TooManyRequests',
  431: 'HeaderFieldsTooLarge',
  500: 'InternalError',
  502: 'DatabaseUnavailable',
};
