import { isoDate, utcInstant } from '../../testing/canonical.arbitrary';
import { fc } from '../../testing/property';
import { attempt, type ValueContext } from '../codec';
import { dateCodec, timestampCodec } from './time';

const context: ValueContext = { currency: 'USD', localCurrency: 'USD' };
const onA = { date: dateCodec(null), time: timestampCodec(null) };
const onB = { date: dateCodec('0001-01-01'), time: timestampCodec('0001-01-01T00:00:00Z') };

describe('a date', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(isoDate, (date) => {
        for (const { date: codec } of [onA, onB])
          expect(codec.decode(codec.encode(date, context) ?? null, context)).toBe(date);
      }),
    );
  });

  it('is none in each platform’s own form', () => {
    expect([null, ''].map((wire) => onA.date.decode(wire, context))).toEqual([null, null]);
    expect([null, '', '0001-01-01'].map((wire) => onB.date.decode(wire, context))).toEqual([
      null,
      null,
      null,
    ]);
    expect(onA.date.decode('0001-01-01', context)).toBe('0001-01-01');
    expect([onA.date.encode(null, context), onB.date.encode(null, context)]).toEqual([null, '0001-01-01']);
  });

  it.each([
    '2026-02-30',
    '2026-2-1',
    '01/02/2026',
    '2026-02-01T00:00:00Z',
    'tomorrow',
    20_260_201,
    true,
    [],
    {},
  ])('is not %j', (wire) => {
    expect(attempt(() => onA.date.decode(wire, context))).toHaveProperty(
      'problem',
      expect.stringMatching(/^expected a date such as "2026-02-01", received /),
    );
  });
});

describe('an instant', () => {
  it('in UTC comes back as it was, to the last digit of its fraction', () => {
    fc.assert(
      fc.property(utcInstant, (instant) => {
        for (const { time } of [onA, onB])
          expect(time.decode(time.encode(instant, context) ?? null, context)).toBe(instant);
      }),
    );
  });

  it.each([
    ['2020-10-19T12:17:31-07:00', '2020-10-19T19:17:31Z'],
    ['2020-10-19T12:17:31.123456+0330', '2020-10-19T08:47:31.123456Z'],
    ['2020-12-31T23:30:00-01:00', '2021-01-01T00:30:00Z'],
    ['2026-01-12T13:00Z', '2026-01-12T13:00:00Z'],
    ['2026-01-12T13:00+03:00', '2026-01-12T10:00:00Z'],
    ['2026-01-12T13:00:00.000Z', '2026-01-12T13:00:00.000Z'],
  ])('is read into UTC: %s is %s', (wire, expected) => {
    expect(onA.time.decode(wire, context)).toBe(expected);
  });

  it('is written in one form', () => {
    const usual = '2026-01-12T23:59:59Z';
    expect(onA.time.decode(usual, context)).toBe(usual);
    expect(onA.time.decode('2026-01-12T23:59:59+00:00', context)).toBe(usual);
    for (let place = 0; place < usual.length; place += 1) {
      const other = `${usual.slice(0, place)}x${usual.slice(place + 1)}`;
      expect(attempt(() => onA.time.decode(other, context))).toHaveProperty('problem');
    }
  });

  it('is none in each platform’s own form', () => {
    expect([null, ''].map((wire) => onA.time.decode(wire, context))).toEqual([null, null]);
    expect(onB.time.decode('0001-01-01T00:00:00Z', context)).toBeNull();
    expect([onA.time.encode(null, context), onB.time.encode(null, context)]).toEqual([
      null,
      '0001-01-01T00:00:00Z',
    ]);
  });

  it.each([
    '2026-01-12',
    '2026-01-12T13:00:00',
    '2026-01-12 13:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-12T24:00:00Z',
    '2026-01-12T23:60:00Z',
    '2026-01-12T23:59:60Z',
    '2026-01-12T13:00:00+99:99',
    '9999-12-31T23:59:59-05:00',
    '0000-01-01T00:00:00+05:00',
    0,
    true,
    [],
  ])('is not %j', (wire) => {
    expect(attempt(() => onA.time.decode(wire, context))).toHaveProperty('problem');
  });
});
