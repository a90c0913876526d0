import { onlyTimeMoved } from './moved-time';

const [T0, T1] = ['2026-01-05T10:00:00Z', '2026-01-05T10:00:01Z'] as const;

describe('onlyTimeMoved', () => {
  const at = (updated_at: string, notes = 'N') => ({ id: 1, notes, updated_at });

  it.each([
    ['as it is written', T0, T1],
    ['with a fraction of a second', T0, '2026-01-05T10:00:00.500Z'],
    ['over the end of summer time', '2026-11-01T01:30:00-07:00', '2026-11-01T01:05:00-08:00'],
  ])('knows a later time %s', (_name, before, now) => {
    expect(onlyTimeMoved(at(before), at(now))).toBe(true);
    expect(onlyTimeMoved(at(now), at(before))).toBe(false);
    expect(onlyTimeMoved(at(before), at(now, 'Other'))).toBe(false);
  });

  it('knows the later time of a part, whatever the scale of amounts', () => {
    const contract = (updated_at: string, amount: string) => ({ ...at(T0), lines: [{ amount, updated_at }] });
    expect(onlyTimeMoved(contract(T0, '8500000.0'), contract(T1, '8500000.00'))).toBe(true);
    expect(onlyTimeMoved(contract(T0, '8500000.0'), contract(T1, '8500000.01'))).toBe(false);
    expect(onlyTimeMoved(contract(T1, '1.0'), contract(T1, '1.0'))).toBe(false);
  });

  it('knows none where there is none', () => {
    expect(onlyTimeMoved({ id: 1 }, at(T0))).toBe(false);
    expect(onlyTimeMoved(at(T0), at('2026-01-05T12:00:00+02:00'))).toBe(false);
  });
});
