import type { Disagreement } from '@app/mapper';
import { versionOf, type VersionedState } from './object-version';

const disagreement: Disagreement = {
  field: 'date',
  why: 'it comes first by default',
  chosen: { platform: 'platform_a', value: '2026-02-01' },
  other: { platform: 'platform_b', value: '2026-02-03' },
};

const state: VersionedState = {
  text: '{"id":"pay_1"}',
  records: [
    { platform: 'platform_a', platform_id: '1' },
    { platform: 'platform_b', platform_id: 'b-1' },
  ],
  disagreements: [disagreement],
  isDeleted: false,
};

describe('the version of an object', () => {
  it('is opaque text that fits into an entity tag', () => {
    expect(versionOf(state)).toMatch(/^[\w-]{22}$/);
  });

  it('is the same for the same state, in whatever order its records come', () => {
    expect(versionOf({ ...state, records: state.records.toReversed() })).toBe(versionOf(state));
  });

  it.each<[string, Partial<VersionedState>]>([
    ['the object', { text: '{"id":"pay_2"}' }],
    ['a record', { records: state.records.slice(1) }],
    ['a native ID', { records: [{ platform: 'platform_a', platform_id: '2' }, ...state.records.slice(1)] }],
    ['the disagreements', { disagreements: [] }],
    [
      'a value of a disagreement',
      {
        disagreements: [{ ...disagreement, other: { platform: 'platform_b', value: '2026-02-04' } }],
      },
    ],
    ['its end', { isDeleted: true }],
  ])('is another one with another state of %s', (_name, change) => {
    expect(versionOf({ ...state, ...change })).not.toBe(versionOf(state));
  });
});
