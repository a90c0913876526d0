import { withoutContext } from '../codec';
import { textCodec } from './text';

const text = textCodec({ blank: null });
const code = textCodec({ blank: '', longest: 5, folded: true });

describe('text', () => {
  it('is read as it is, whatever its length; an empty one is none', () => {
    for (const codec of [text, code])
      expect(['x', ' longer than five ', '', null].map((wire) => codec.decode(wire, withoutContext))).toEqual(
        [...['x', ' longer than five ', null, null]],
      );
    for (const wire of [1, true, [], {}])
      expect(() => text.decode(wire, withoutContext)).toThrow('expected a string');
  });

  it('is written as it is, or as a code is spelt, and never cut', () => {
    expect(['', ' longer than five ', null].map((value) => text.encode(value, withoutContext))).toEqual([
      ...['', ' longer than five ', null],
    ]);
    expect([' ab1 ', '  abcde  ', '', null].map((value) => code.encode(value, withoutContext))).toEqual([
      ...['AB1', 'ABCDE', '', ''],
    ]);
    expect(() => code.encode('abcdef', withoutContext)).toThrow(
      'is longer than the 5 characters the platform takes',
    );
  });

  it('says how long it may be, where there is a limit', () => {
    expect(code.schema).toEqual({ type: 'string', maxLength: 5 });
    expect(text.schema).toStrictEqual({ type: 'string' });
  });
});
