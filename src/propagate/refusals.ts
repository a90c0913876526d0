import type { FieldIssue } from '@app/mapper';
import { ApiError } from '../errors/api-error';

/** A field that nobody may write, or that does not exist: 400. */
export function notWritable(path: string, why: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `Invalid input: data.${path}: ${why}`);
}

/** Values that cannot be taken over: 422, naming each field. */
export function untranslatable(issues: readonly FieldIssue[]): ApiError {
  return new ApiError(
    'TRANSFORM_ERROR',
    issues.map(({ path, problem }) => `data.${path}: ${problem}`).join('; '),
  );
}
