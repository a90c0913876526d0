import { fc } from '../../../libs/mapper/src/testing/property';
import { endOfDay, isTimeZone, startOfDay } from './time-zone';

/** The day that local clocks show at a time in UTC with microseconds. */
function shownDay(time: string, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(
    Date.parse(`${time.slice(0, 23)}Z`),
  );
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

describe('a time zone', () => {
  it.each(['UTC', 'Asia/Qatar', 'America/St_Johns', 'Pacific/Apia', 'Europe/Berlin'])('can be %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Qatar time', 'Asia/Atlantis', '+03:00', '3', 'Asia/Qatar ', 'UTC+3'])(
    'cannot be %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});

describe('endOfDay', () => {
  it.each([
    ['UTC', '2026-01-31', '2026-01-31T23:59:59.999999Z'],
    ['UTC', '2024-02-29', '2024-02-29T23:59:59.999999Z'],
    ['Asia/Qatar', '2026-01-31', '2026-01-31T20:59:59.999999Z'],
    ['America/New_York', '2026-01-31', '2026-02-01T04:59:59.999999Z'],
    ['Asia/Kathmandu', '2026-01-31', '2026-01-31T18:14:59.999999Z'],
    // Days on which clocks change, long before midnight and right after it.
    ['Europe/Berlin', '2026-03-29', '2026-03-29T21:59:59.999999Z'],
    ['Europe/Berlin', '2026-03-28', '2026-03-28T22:59:59.999999Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-25T22:59:59.999999Z'],
    ['Europe/Berlin', '2026-10-24', '2026-10-24T21:59:59.999999Z'],
    // Clocks skip midnight.
    ['America/Sao_Paulo', '2018-11-03', '2018-11-04T02:59:59.999999Z'],
    // Clocks go back from midnight to 23:00 of the same day.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-18T02:59:59.999999Z'],
    // Clocks go back from 00:01 to 23:01 of the day before.
    ['America/St_Johns', '2010-11-06', '2010-11-07T03:29:59.999999Z'],
    // A day that a zone left out.
    ['Pacific/Apia', '2011-12-29', '2011-12-30T09:59:59.999999Z'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T09:59:59.999999Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-31T09:59:59.999999Z'],
    // An offset with seconds.
    ['Asia/Riyadh', '1940-01-01', '1940-01-01T20:53:07.999999Z'],
  ])('in %s of %s is %s', (zone, day, end) => {
    expect(endOfDay(day, zone)).toBe(end);
  });

  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');
  const days = fc
    .integer({ min: Date.UTC(1970, 0, 1) / 86_400_000, max: Date.UTC(2037, 11, 31) / 86_400_000 })
    .map((number) => new Date(number * 86_400_000).toISOString().slice(0, 10));

  it('is the last moment at which clocks show the day or an earlier one', () => {
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const end = endOfDay(day, zone);
        // Not always the end of a minute: some zones had offsets with seconds until 1972.
        expect(end).toMatch(/\.999999Z$/);
        expect(shownDay(end, zone) <= day).toBe(true);
        // Each quarter of an hour of the two days after it.
        const first = Date.parse(`${end.slice(0, 23)}Z`) + 1;
        for (let later = first; later < first + 2 * 86_400_000; later += 900_000) {
          expect(shownDay(new Date(later).toISOString(), zone) > day).toBe(true);
        }
      }),
    );
  });

  it('is followed by the start of the next day, and before its end', () => {
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const end = endOfDay(day, zone);
        const start = startOfDay(nextDay(day), zone);
        expect(Date.parse(`${start.slice(0, 23)}Z`) - Date.parse(`${end.slice(0, 23)}Z`)).toBe(1);
        // A day that a zone left out begins as it ends.
        const endOfNext = Date.parse(`${endOfDay(nextDay(day), zone).slice(0, 23)}Z`);
        expect(Date.parse(`${start.slice(0, 23)}Z`)).toBeLessThanOrEqual(endOfNext + 1);
      }),
    );
  });
});
