import type { HistoryEntry } from '@app/client';
import { historyGroups, isQuiet, shownFields } from './history-groups';

const reading: HistoryEntry = {
  at: '2026-01-01T00:00:00.000000Z',
  canonical_id: 'pay_0000000000000000',
  change: 'changed',
  origin: { type: 'run', platform: 'platform_a' },
  fields: [
    { field: 'updated_at', after: 'x' },
    { field: 'provider_metadata.platform_a', after: {} },
  ],
};
const change: HistoryEntry = { ...reading, fields: [{ field: 'notes', before: 'x', after: 'y' }] };

describe('isQuiet', () => {
  it.each<[string, HistoryEntry, boolean]>([
    ['a reading of a time stamp', reading, true],
    ['a value', change, false],
    [
      'a line of a document',
      {
        ...reading,
        fields: [{ field: 'provider_metadata.platform_b', before: { lines: {} }, after: { lines: {} } }],
      },
      false,
    ],
    ['a first appearance', { ...reading, change: 'appeared' }, false],
    ['a change of people', { ...reading, origin: { type: 'propagation' } }, false],
    ['a record that joined', { ...reading, records: { before: [], after: [] } }, false],
    [
      'a difference that is settled',
      { ...reading, disagreements: { appeared: [], settled: ['notes'] } },
      false,
    ],
  ])('of %s', (_what, entry, expected) => {
    expect(isQuiet(entry)).toBe(expected);
  });
});

describe('historyGroups', () => {
  it('puts neighbours together that say nothing new, and loses no entry', () => {
    expect(historyGroups([reading, reading, change, reading])).toEqual([
      { kind: 'quiet', entries: [reading, reading] },
      { kind: 'entry', entry: change },
      { kind: 'quiet', entries: [reading] },
    ]);
    expect(historyGroups([])).toEqual([]);
  });
});

describe('shownFields', () => {
  it('leaves out time stamps and what began empty, and keeps what was emptied', () => {
    const fields = [
      { field: 'updated_at', after: 'x' },
      { field: 'notes', after: null },
      { field: 'title', before: 'x', after: null },
      { field: 'status', before: 'paid' },
    ];
    expect(shownFields({ ...reading, fields }).map(({ field }) => field)).toEqual(['title', 'status']);
  });
});
