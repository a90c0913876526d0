import { instantText, spanText } from './time-text';

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
