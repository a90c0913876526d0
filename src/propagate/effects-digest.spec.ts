import { parseJsonText, type JsonValue } from '@app/mapper';
import { digestOfEffects } from './effects-digest';
import type { PropagatedEntry } from './propagate.response';

const conversion = {
  field: 'amount',
  from: 'USD',
  to: 'QAR',
  rate: '3.7',
  source: 'customer',
  rounding: 'half_even',
} as const;
const entry: PropagatedEntry = {
  platform_id: '1',
  status: 'applied',
  changes: [{ path: 'amount', value: -456_787.2 }],
  conversion,
  conversions: [conversion],
  data: { amount: -456_787.2, lastModified: '2026-11-28T08:00:00Z' },
};
const digest = (b: PropagatedEntry) => digestOfEffects({ propagated: { platform_b: b } });
const value = (text: string): JsonValue => parseJsonText(text);

describe('digestOfEffects()', () => {
  it('is of the form that a proposal carries', () => {
    expect(digest(entry)).toMatch(/^[\w-]{43}$/);
  });

  it.each<[string, PropagatedEntry]>([
    ['a status', { ...entry, status: 'pending' }],
    ['a creation', { ...entry, created: true }],
    ['a value', { ...entry, changes: [{ path: 'amount', value: -469_132.8 }] }],
    ['a field', { ...entry, changes: [{ path: 'total', value: -456_787.2 }] }],
    ['a rate', { ...entry, conversions: [{ ...conversion, rate: '3.8' }] }],
  ])('differs by %s', (_what, other) => {
    expect(digest(other)).not.toBe(digest(entry));
  });

  it('differs by a platform', () => {
    const both = { platform_b: entry, platform_a: { ...entry, status: 'unchanged' as const } };
    expect(digestOfEffects({ propagated: both })).not.toBe(digest(entry));
  });

  it('does not depend on the record, nor on the order of members', () => {
    const written = (text: string) => digest({ ...entry, changes: [{ path: 'x', value: value(text) }] });
    expect(digest({ ...entry, data: { lastModified: '2026-11-28T09:00:00Z' } })).toBe(digest(entry));
    expect(written('{"a":1,"b":2}')).toBe(written('{"b":2,"a":1}'));
    expect(written('12345678901234567890.1')).not.toBe(written('12345678901234567890.2'));
  });
});
