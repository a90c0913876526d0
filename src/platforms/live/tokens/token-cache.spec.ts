import type { ConnectionName } from '../../connector';
import { AccessToken } from './token';
import { TokenCache } from './token-cache';

const connection = (customerId: string): ConnectionName => ({ customerId, platform: 'platform_a' });
const MINUTE = 60_000;

describe('the memory of tokens', () => {
  const token = new AccessToken('t', 1, {});

  it('keeps a token for its connection, up to the given time', () => {
    const memory = new TokenCache();
    memory.keep(connection('a'), token, MINUTE);
    expect(memory.find(connection('a'))).toBe(token);
    expect(memory.find(connection('b'))).toBeUndefined();
    expect(memory.find({ customerId: 'a', platform: 'platform_b' })).toBeUndefined();
    memory.keep(connection('a'), token, 0);
    expect(memory.find(connection('a'))).toBeUndefined();
  });

  it('forgets a token of one generation only', () => {
    const memory = new TokenCache();
    memory.keep(connection('a'), token, MINUTE);
    memory.drop(connection('a'), 2);
    expect(memory.find(connection('a'))).toBe(token);
    memory.drop(connection('a'), 1);
    expect(memory.find(connection('a'))).toBeUndefined();
  });

  it('holds a thousand tokens, and drops the oldest', () => {
    const memory = new TokenCache();
    for (let number = 0; number < 1_000; number += 1) memory.keep(connection(String(number)), token, MINUTE);
    memory.keep(connection('0'), token, MINUTE);
    memory.keep(connection('one more'), token, MINUTE);
    expect(memory.find(connection('0'))).toBe(token);
    expect(memory.find(connection('1'))).toBeUndefined();
    expect(memory.find(connection('2'))).toBe(token);
  });
});
