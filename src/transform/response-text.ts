import { stringifyJson } from '@app/mapper';
import { ApiError } from '../common/errors/api-error';
import { JsonText } from '../common/response/handler-results';
import type { TransformResult } from './transform.response';

/** Most bytes of the text of one answer. A record of lines without members becomes six times as long. */
const MOST_ANSWER_BYTES = 1024 ** 2;

/**
 * The text of a preview's answer.
 *
 * @throws ApiError TRANSFORM_ERROR when it is longer than 1 MB
 */
export function responseText(result: TransformResult): JsonText {
  const text = stringifyJson(result);
  // A character takes three bytes at most, so most texts need not be measured.
  if (3 * text.length > MOST_ANSWER_BYTES && Buffer.byteLength(text) > MOST_ANSWER_BYTES) {
    throw new ApiError('TRANSFORM_ERROR', 'data: the answer about this record would be longer than 1 MB');
  }
  return new JsonText(text);
}
