import { readArguments } from './arguments';

const known = ['P1', 'P2', 'P2j', 'P5f'];
const nothing = { ids: [], list: false, quick: false, save: false, help: false };

describe('the command line', () => {
  it('asks for everything when it is empty', () => expect(readArguments([], known)).toEqual(nothing));

  it('takes figures in any case', () =>
    expect(readArguments(['p5F', 'P2J'], known)).toEqual({ ...nothing, ids: ['P5f', 'P2j'] }));

  it('takes options', () =>
    expect(readArguments(['--quick', '--list'], known)).toEqual({ ...nothing, quick: true, list: true }));

  it.each([['P99'], ['--fast'], ['--__proto__']])('refuses %s', (arg) =>
    expect(() => readArguments([arg], known)).toThrow(RangeError),
  );

  it('saves whole measurements, of all figures or of some', () => {
    expect(() => readArguments(['--save', '--quick'], known)).toThrow(RangeError);
    expect(readArguments(['--save', 'P1'], known)).toEqual({ ...nothing, save: true, ids: ['P1'] });
    expect(readArguments(['--save'], known)).toEqual({ ...nothing, save: true });
  });
});
