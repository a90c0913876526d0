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

  it('shows the errors that one stands for, a few of many', () => {
    const errors = Array.from({ length: 9 }, (_, number) => new TypeError(`it broke (${number})`));
    const described = describeError(new AggregateError(errors, 'some failed'));
    expect(described).toMatchObject({ type: 'AggregateError', message: 'some failed' });
    expect(described.errors?.map(({ type, message }) => `${type} ${message}`)).toEqual(
      errors.slice(0, 5).map(({ message }) => `TypeError ${message}`),
    );
  });

  it('shows nothing else that an error carries', () => {
    const error = Object.assign(new Error('duplicate key'), {
      parameters: ['secret'],
      detail: 'secret',
      query: 'secret',
    });
    expect(JSON.stringify(describeError(error))).not.toContain('secret');
    expect(JSON.stringify(describeError(new AggregateError([error, 'secret'])))).not.toContain('secret');
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
