import { BadRequestException, ForbiddenException, HttpException, NotFoundException } from '@nestjs/common';
import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { toApiError } from './error-translation';
import { ApiError } from './api-error';

describe('toApiError', () => {
  it('leaves an ApiError as it is', () => {
    const error = new ApiError('CONFLICT_ERROR', 'taken');
    expect(toApiError(error)).toBe(error);
  });

  it('hides a database that cannot be reached behind a 502', () => {
    const cause = new DatabaseUnavailable('connect ECONNREFUSED 10.0.0.7:5432');
    const error = toApiError(cause);
    expect(error).toMatchObject({
      type: 'EXTERNAL_SERVICE_ERROR',
      status: 502,
      headers: { 'Retry-After': '1' },
      cause,
    });
    expect(error.message).not.toMatch(/ECONN|10\.0/);
  });

  it('asks a client to come back when too much other work waits', () => {
    const cause = new Overloaded('No connection within 3000 ms');
    expect(toApiError(cause)).toMatchObject({
      type: 'EXTERNAL_SERVICE_ERROR',
      status: 502,
      message: 'The service is overloaded; try again in a moment',
      headers: { 'Retry-After': '1' },
      cause,
    });
  });

  it.each([
    [new NotFoundException('Cannot GET /secret?key=1'), 'NOT_FOUND', 404, 'There is no such route'],
    [
      new BadRequestException("Failed to decode param '%zz'"),
      'VALIDATION_ERROR',
      400,
      'Invalid input: the path is not UTF-8 in percent-encoding',
    ],
    [new ForbiddenException(), 'AUTHORIZATION_ERROR', 403, 'This key may not do that'],
    [new HttpException('I am a teapot', 418), 'VALIDATION_ERROR', 418, 'Invalid input'],
  ])('puts %s into our words', (thrown, type, status, message) => {
    expect(toApiError(thrown)).toMatchObject({ type, status, message });
  });

  it.each([
    new Error('password=hunter2'),
    new HttpException('internal detail', 503),
    'a string',
    undefined,
    null,
  ])('reveals nothing of %p', (thrown) => {
    const error = toApiError(thrown);
    expect(error).toMatchObject({ type: 'INTERNAL_ERROR', status: 500, cause: thrown });
    expect(error.message).toBe('Something went wrong on our side; the request ID helps us to find out what');
  });
});
