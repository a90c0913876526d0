import { candidateFields, isCompared } from './candidate-fields';

const value = (text: string) => ({ canonical: text, native: text, path: 'x' });
const candidate = (id: string, compared: Parameters<typeof candidateFields>[1][number]['compared']) => ({
  platform: 'platform_a' as const,
  platform_id: id,
  canonical_id: `pay_${id}`,
  linked: false,
  ...(compared && { compared }),
});

describe('the fields of candidates', () => {
  it('stand beside those of the record, candidate by candidate', () => {
    const fields = candidateFields('platform_b', [
      candidate('1', [
        { field: 'notes', same: true, values: { platform_a: value('x'), platform_b: value('x') } },
        { field: 'date', same: null, values: { platform_a: value('2026-01-01') } },
      ]),
      candidate('2', [
        { field: 'notes', same: false, values: { platform_a: value('y'), platform_b: value('x') } },
      ]),
    ]);
    expect(
      fields.map(({ field, own, sides }) => [field, own?.canonical, sides.map(({ same }) => same)]),
    ).toEqual([
      ['notes', 'x', [true, false]],
      ['date', undefined, [null, null]],
    ]);
    expect(fields.map(isCompared)).toEqual([true, false]);
    expect(fields[0]?.sides.map(({ value: one }) => one?.canonical)).toEqual(['x', 'y']);
  });

  it('are none where no candidate was compared', () => {
    expect(candidateFields('platform_b', [candidate('1', undefined)])).toEqual([]);
  });
});
