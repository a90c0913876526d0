import { describeError } from './describe-error';

describe('describeError', () => {
  it('shows type, message, code, stack and cause', () => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
    expect(describeError(new TypeError('it broke', { cause }))).toMatchObject({
      type: 'TypeError',
      message: 'it broke',
      stack: expect.stringContaining('describe-error.spec'),
      cause: { type: 'Error', message: 'connect refused', code: 'ECONNREFUSED' },
    });
  });

  it('shows nothing else that an error carries', () => {
    const error = Object.assign(new Error('duplicate key'), {
      parameters: ['secret'],
      detail: 'secret',
      query: 'secret',
    });
    expect(JSON.stringify(describeError(error))).not.toContain('secret');
  });

  it('ends where causes go in a circle', () => {
    const error = new Error('round and round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/round and round/g)?.length).toBeGreaterThan(1);
  });

  it.each(['text', undefined, null, 7, { secret: 'value' }])(
    'says of %p only that it is no Error',
    (thrown) => {
      expect(describeError(thrown)).toEqual({
        type: typeof thrown,
        message: 'a value that is no Error was thrown',
      });
    },
  );
});
