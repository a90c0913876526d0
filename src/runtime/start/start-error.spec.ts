import { wordsOf } from './start-error';

describe('wordsOf', () => {
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);

  it.each([
    ['an error', new Error('it broke'), 'it broke'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['what is no error', 'it broke', 'it broke'],
    [
      'all addresses of a host',
      new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')]),
      'connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432',
    ],
    [
      'rows that fail alike',
      new AggregateError([new Error('refused'), new Error('refused')], 'Some could not be removed'),
      'Some could not be removed: refused',
    ],
  ])('are of %s', (_what, error, words) => {
    expect(wordsOf(error)).toBe(words);
  });
});
