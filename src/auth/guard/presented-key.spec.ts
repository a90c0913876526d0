import { generateKey, hashKey } from '../keys/api-key';
import { presentedHash } from './presented-key';

const one = generateKey('live');
const other = generateKey('test');

describe('presentedHash', () => {
  const asked = (...headers: readonly string[]) =>
    presentedHash({ rawHeaders: headers.flatMap((header) => ['Authorization', header]) });

  it('is the hash of the key', () => {
    expect(asked(`Bearer ${one}`)).toBe(hashKey(one));
    expect(asked(`Bearer ${other}`)).toBe(hashKey(other));
    expect(asked(`bearer  ${one}`)).toBe(hashKey(one));
    expect(asked(`Bearer${' '.repeat(300)}${other}`)).toBe(hashKey(other));
  });

  it('is none without a key, or with two', () => {
    expect(asked()).toBeUndefined();
    expect(asked('Basic x')).toBeUndefined();
    expect(asked(`Bearer ${one}x!`)).toBeUndefined();
    expect(asked(`Bearer ${one}`, `Bearer ${one}`)).toBeUndefined();
    expect(asked(`Bearer ${one}`, 'Basic x')).toBeUndefined();
  });
});
