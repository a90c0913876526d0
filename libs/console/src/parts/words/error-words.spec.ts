import { ApiError, ConnectionFailed, UnexpectedResponse } from '@app/client';
import { PartNotLoaded, wordsOf } from './error-words';

describe('wordsOf', () => {
  it('has the words of the service, its type, and the ID to quote', () => {
    const error = new ApiError('CONFLICT_ERROR', 409, 'A connect is under way', 'req_12345678', undefined);
    expect(wordsOf(error)).toEqual({
      sentence: 'A connect is under way',
      type: 'CONFLICT_ERROR',
      requestId: 'req_12345678',
    });
  });

  it('says where an answer is missing, or is of another server', () => {
    expect(wordsOf(new ConnectionFailed('req_1', undefined)).sentence).toMatch(/cannot be reached/);
    expect(wordsOf(new UnexpectedResponse(504, 'req_1')).sentence).toMatch(/status 504/);
    expect(wordsOf(new PartNotLoaded()).sentence).toMatch(/^This part of the console could not be loaded/);
  });

  it('has a sentence for whatever else is thrown', () => {
    expect(wordsOf(new TypeError('x is not a function')).sentence).toMatch(/x is not a function$/);
    expect(wordsOf('odd').requestId).toBeUndefined();
  });
});
