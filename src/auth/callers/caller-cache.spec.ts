import type { Caller } from './caller';
import { CallerCache, MAX_AGE_MS, MOST_KEYS } from './caller-cache';

const LONG = 1_000_000;
const callerOf = (customer: string, keyId = 'key'): Caller => ({
  customer: { id: customer, kind: 'standard' },
  mode: 'live',
  keyId,
  permissions: ['read'],
});

describe('CallerCache', () => {
  let time = 0;
  let cache: CallerCache;
  beforeEach(() => {
    time = 0;
    cache = new CallerCache(() => time);
  });

  it('caches a caller for one second from the start of its lookup', () => {
    const asked = cache.ask();
    time = 600;
    cache.remember('hash', callerOf('a'), asked, LONG);
    time = MAX_AGE_MS - 1;
    expect(cache.find('hash')).toEqual(callerOf('a'));
    time = MAX_AGE_MS;
    expect(cache.find('hash')).toBeUndefined();
  });

  it('caches no caller beyond the end of its key', () => {
    cache.remember('hash', callerOf('a'), cache.ask(), 10);
    time = 9;
    expect(cache.find('hash')).toBeDefined();
    time = 10;
    expect(cache.find('hash')).toBeUndefined();
  });

  it('drops the keys of one customer, and results of lookups that began before the drop', () => {
    cache.remember('1', callerOf('a'), cache.ask(), LONG);
    cache.remember('2', callerOf('a', 'other'), cache.ask(), LONG);
    cache.remember('3', callerOf('b'), cache.ask(), LONG);
    const asked = cache.ask();
    cache.forget('a');
    cache.remember('1', callerOf('a'), asked, LONG);
    expect(['1', '2', '3'].map((hash) => cache.find(hash))).toEqual([undefined, undefined, callerOf('b')]);
    cache.remember('1', callerOf('a'), cache.ask(), LONG);
    expect(cache.find('1')).toBeDefined();
  });

  it('still tells known keys from unknown ones after their entries have expired', () => {
    cache.remember('hash', callerOf('a'), cache.ask(), LONG);
    time = 2 * MAX_AGE_MS;
    expect(cache.wasKnown('hash')).toBe(true);
    cache.refuse('hash', cache.ask());
    expect(cache.wasKnown('hash')).toBe(false);
  });

  it('refuses an unknown key for a second without a lookup', () => {
    cache.refuse('hash', cache.ask());
    expect(cache.find('hash')).toBeNull();
    time = MAX_AGE_MS;
    expect(cache.find('hash')).toBeUndefined();
  });

  it('has a bounded size, and unknown keys evict no known keys', () => {
    cache.remember('first', callerOf('a'), cache.ask(), LONG);
    for (let key = 0; key < 3 * MOST_KEYS.known; key += 1) cache.refuse(`wrong ${key}`, cache.ask());
    expect(cache.find('first')).toBeDefined();
    expect(cache.find('wrong 0')).toBeUndefined();
    for (let key = 1; key < MOST_KEYS.known; key += 1)
      cache.remember(`${key}`, callerOf('b'), cache.ask(), LONG);
    expect(cache.find('first')).toBeDefined();
    cache.remember('one more', callerOf('c'), cache.ask(), LONG);
    expect(cache.find('first')).toBeUndefined();
    expect(cache.find('1')).toBeDefined();
  });
});
