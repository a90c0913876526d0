import { dayBefore, dayIn, instantText, momentOf, shownZone, spanText } from './time-text';

describe('instantText', () => {
  it.each([
    ['2026-11-26T14:02:11.123Z', 'UTC', '26 Nov 2026, 14:02:11'],
    ['2026-11-26T21:02:11.752432Z', 'Asia/Qatar', '27 Nov 2026, 00:02:11'],
    ['2026-11-26T14:02:11Z', 'Atlantis/Poseidonis', '26 Nov 2026, 14:02:11'],
    ['not a time', 'UTC', 'not a time'],
  ])('%s in %s is %s', (iso, zone, text) => {
    expect(instantText(iso, zone)).toBe(text);
  });
});

describe('shownZone', () => {
  it.each([
    ['Asia/Qatar', 'Asia/Qatar'],
    ['UTC', 'UTC'],
    ['Atlantis/Poseidonis', 'UTC'],
  ])('moments of a customer in %s are written in %s', (zone, shown) => {
    expect(shownZone(zone)).toBe(shown);
  });
});

describe('dayIn', () => {
  it.each([
    ['2026-11-01T03:59:59.999999Z', 'America/New_York', '2026-10-31'],
    ['2026-10-31T20:59:59.999999Z', 'Asia/Qatar', '2026-10-31'],
    ['2026-10-31T21:00:00Z', 'Asia/Qatar', '2026-11-01'],
    ['2026-10-31T23:30:00Z', 'Atlantis/Poseidonis', '2026-10-31'],
    ['2026-10-31', 'America/New_York', '2026-10-31'],
    ['not a Time', 'UTC', 'not a Time'],
  ])('%s in %s is %s', (moment, zone, day) => {
    expect(dayIn(moment, zone)).toBe(day);
  });
});

describe('momentOf', () => {
  const before = '2026-11-01T03:59:59.999999Z';

  it.each([
    ['2026-10-31', before],
    ['2026-11-01', '2026-11-01'],
    ['', ''],
  ])('of the field %j is %j', (day, expected) => {
    expect(momentOf(day, before, 'America/New_York')).toBe(expected);
  });

  it('is the day where there was no moment', () => {
    expect(momentOf('2026-10-31', undefined, 'UTC')).toBe('2026-10-31');
  });
});

describe('spanText', () => {
  it.each([
    [-1, '0 s'],
    [449, '0.4 s'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
  ])('%d ms are %s', (milliseconds, text) => {
    expect(spanText(milliseconds)).toBe(text);
  });
});

describe('dayBefore', () => {
  it.each([
    ['2026-03-01', '2026-02-28'],
    ['2027-01-01', '2026-12-31'],
  ])('%s comes after %s', (day, before) => {
    expect(dayBefore(day)).toBe(before);
  });
});
