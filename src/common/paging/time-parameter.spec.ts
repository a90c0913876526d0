import { fc } from '../../../libs/mapper/src/testing/property';
import { timeFrom } from './time-parameter';

describe('timeFrom', () => {
  it.each([
    ['2026-02-01', '2026-02-01T00:00:00.000000Z'],
    ['2026-02-01T08:30Z', '2026-02-01T08:30:00.000000Z'],
    ['2026-02-01T08:30:05Z', '2026-02-01T08:30:05.000000Z'],
    ['2026-02-01T08:30:05.123456Z', '2026-02-01T08:30:05.123456Z'],
    ['2026-02-01T08:30:05.1234569Z', '2026-02-01T08:30:05.123456Z'],
    ['2026-02-01T01:30:05.5+03:00', '2026-01-31T22:30:05.500000Z'],
    ['2026-12-31T22:30:00-03:30', '2027-01-01T02:00:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ])('reads %s as %s', (text, time) => {
    expect(timeFrom(text)).toBe(time);
  });

  it.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2025-02-29',
    '2026-02-01T08:30:00',
    '2026-02-01T24:00:00Z',
    '2026-02-01T08:60:00Z',
    '2026-02-01 08:30:00Z',
    '2026-02-01T08:30:00 03:00',
    '2026-02-01T08:30:00+24:00',
    '0001-01-01',
    '1769934600',
  ])('refuses %s', (text) => {
    expect(timeFrom(text)).toBeUndefined();
  });

  it('reads whatever a date prints as that date', () => {
    const dates = fc.date({ min: new Date('1001-01-01'), max: new Date('2998-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(new Date(timeFrom(date.toISOString()) ?? '')).toEqual(date);
      }),
    );
  });
});
