import { ExactNumber } from '@app/mapper';
import { objectIn } from './stored-object';

describe('a stored object', () => {
  it('comes back as it was stored, and is empty where something else is stored', () => {
    expect(objectIn('{"amount":9007199254740993.10}')).toEqual({
      amount: new ExactNumber('9007199254740993.10'),
    });
    expect(objectIn('null')).toEqual({});
    expect(objectIn('[1]')).toEqual({});
  });
});
