import { fc } from '../testing/property';
import { isIsoDate, startsWithDate, twoDigits } from './calendar';

/** What JavaScript's calendar says: it turns a day that does not exist into another one, or into none. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

// Centuries, and the years after them.
const years = Array.from({ length: 500 }, (_, place) =>
  String(100 * Math.floor(place / 5) + (place % 5)).padStart(4, '0'),
);
const numbers = Array.from({ length: 33 }, (_, number) => String(number).padStart(2, '0'));

describe('a day of the calendar', () => {
  it('is what the calendar has, and nothing else, in every month and century', () => {
    const days = [
      ...['2023', '2024'].flatMap((year) =>
        numbers.slice(0, 14).flatMap((month) => numbers.map((day) => `${year}-${month}-${day}`)),
      ),
      ...years.flatMap((year) => [`${year}-02-28`, `${year}-02-29`]),
    ];
    expect(days.filter((day) => isIsoDate(day) !== isDay(day))).toEqual([]);
  });

  it('is written in digits, with a hyphen before month and day', () => {
    const characters = fc.constantFrom('0', '1', '9', '-', '/', ':', '.', ' ', 'a', '٣');
    fc.assert(
      fc.property(
        fc.constantFrom('2024-02-29', '0000-01-31'),
        fc.nat(9),
        characters,
        (day, at, character) => {
          const text = day.slice(0, at) + character + day.slice(at + 1);
          expect(isIsoDate(text)).toBe(isDay(text));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('may have something behind it where only the beginning counts', () => {
    expect(['2026-02-01', '2026-02-01T', '2026-02-0', ''].map(startsWithDate)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['2026-02-01', '2026-02-01T', '2026-02-0', ''].map(isIsoDate)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('two digits', () => {
  it('are the number that they say, and no number otherwise', () => {
    const characters = ['/', '0', '5', '9', ':'];
    for (const tens of characters)
      for (const units of characters) {
        const isNumber = /^\d\d$/.test(tens + units);
        expect(twoDigits(`x${tens}${units}`, 1)).toBe(isNumber ? Number(tens + units) : NaN);
      }
  });
});
