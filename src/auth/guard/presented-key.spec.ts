import { Socket } from 'node:net';
import { generateKey, hashKey } from '../keys/api-key';
import { presentedHash } from './presented-key';

const one = generateKey('live');
const other = generateKey('test');

describe('presentedHash', () => {
  const socket = new Socket();
  const asked = (...headers: readonly string[]) =>
    presentedHash({ rawHeaders: headers.flatMap((header) => ['Authorization', header]), socket });

  it('is the hash of the key of each request, whatever keys came before on the connection', () => {
    expect(asked(`Bearer ${one}`)).toBe(hashKey(one));
    expect(asked(`Bearer ${one}`)).toBe(hashKey(one));
    expect(asked(`Bearer ${other}`)).toBe(hashKey(other));
    expect(asked(`bearer  ${one}`)).toBe(hashKey(one));
    expect(asked(`Bearer${' '.repeat(300)}${other}`)).toBe(hashKey(other));
    expect(asked(`Bearer ${one}`)).toBe(hashKey(one));
  });

  it('is none without a key, or with two, also behind a request that had one', () => {
    asked(`Bearer ${one}`);
    expect(asked()).toBeUndefined();
    expect(asked('Basic x')).toBeUndefined();
    expect(asked(`Bearer ${one}x!`)).toBeUndefined();
    expect(asked(`Bearer ${one}`, `Bearer ${one}`)).toBeUndefined();
    expect(asked(`Bearer ${one}`, 'Basic x')).toBeUndefined();
  });
});
