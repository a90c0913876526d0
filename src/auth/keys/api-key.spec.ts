import { createHash } from 'node:crypto';
import { generateKey, hashKey, hasKeyForm, hintOf, KEY_MODES, keyFromHeader } from './api-key';

describe('generateKey', () => {
  it.each(KEY_MODES)('gives a %s key with more than 128 bits of randomness', (mode) => {
    expect(generateKey(mode)).toMatch(new RegExp(`^sk_${mode}_[A-Za-z0-9]{32,}$`));
    expect(hasKeyForm(generateKey(mode))).toBe(true);
  });

  it('never gives a key twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generateKey('live'))).size).toBe(1000);
  });
});

describe('hashKey', () => {
  it('is SHA-256 in hex', () => {
    expect(hashKey('sk_demo_x')).toBe(createHash('sha256').update('sk_demo_x').digest('hex'));
  });
});

describe('hintOf', () => {
  it('shows the prefix and the last four letters', () => {
    expect(hintOf(`sk_live_${'x'.repeat(36)}Ab9z`)).toBe('sk_live_…Ab9z');
  });
});

describe('keyFromHeader', () => {
  const key = `sk_test_${'k'.repeat(40)}`;

  it.each([`Bearer ${key}`, `bearer ${key}`, `BEARER  ${key} `])('reads %j', (header) => {
    expect(keyFromHeader([header])).toBe(key);
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    key,
    `Basic ${key}`,
    `Token ${key}`,
    `Bearer${key}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key},`,
    `Bearer "${key}"`,
    'Bearer sk_demo_short',
    `Bearer sk_prod_${'k'.repeat(40)}`,
    `Bearer SK_TEST_${'k'.repeat(40)}`,
    `Bearer sk_test_${'k'.repeat(39)}'`,
    `Bearer sk_test_${'k'.repeat(500)}`,
    `Bearer sk_test_${'ü'.repeat(40)}`,
  ])('finds no key in %j', (header) => {
    expect(keyFromHeader([header])).toBeUndefined();
  });

  it('finds none without a header, and none in two of them', () => {
    expect(keyFromHeader([])).toBeUndefined();
    expect(keyFromHeader([`Bearer ${key}`, `Bearer ${key}`])).toBeUndefined();
  });
});
