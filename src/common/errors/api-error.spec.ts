import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, ERROR_STATUS, invalidInput } from './api-error';

describe('ERROR_STATUS', () => {
  it('is what docs/errors.md lists', () => {
    const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8');
    const rows = [...page.matchAll(/^\|\s*`([A-Z_]+)`\s*\|\s*(\d{3})\s*\|/gm)].map(([, type, status]) => [
      type,
      Number(status),
    ]);
    expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS);
    expect(rows).toHaveLength(Object.keys(ERROR_STATUS).length);
  });
});

describe('ApiError', () => {
  it('has the status of its type unless it is given another', () => {
    expect(new ApiError('NOT_FOUND', 'gone').status).toBe(404);
    expect(new ApiError('VALIDATION_ERROR', 'large', { status: 413 }).status).toBe(413);
  });

  it('keeps a cause only when there is one', () => {
    expect('cause' in new ApiError('NOT_FOUND', 'gone')).toBe(false);
    expect(new ApiError('NOT_FOUND', 'gone', { cause: 0 }).cause).toBe(0);
  });
});

describe('invalidInput', () => {
  it('lists every problem in one message', () => {
    expect(invalidInput(['a is missing', 'b is too long'])).toMatchObject({
      type: 'VALIDATION_ERROR',
      status: 400,
      message: 'Invalid input: a is missing; b is too long',
    });
  });
});
