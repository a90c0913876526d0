import { ExactNumber } from '@app/mapper';
import { boolean, code, date, datetime, decimal, guid, integer, members, text, type Field } from './field';
import { fitted } from './fit';
import { isDay, printedInstant, sortableInstant } from './instant';

const rules = { nullIsBlank: false, decimalsAsText: false };
const fit = (field: Field, value: Parameters<typeof fitted>[2]): unknown => fitted('x', field, value, rules);

describe('a value in a body', () => {
  it.each([
    [code(5), ' ab ', 'AB'],
    [text(5), ' ab ', ' ab '],
    [guid, '6C5E0F1A-9D2B-4C7E-8F30-2B1D4A6C8E90', '6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90'],
    [date, '2028-02-29', '2028-02-29'],
    [date, '0001-01-01', '0001-01-01'],
    [datetime, '2026-01-01T10:00:00.1234567Z', '2026-01-01T10:00:00.1234567Z'],
    [decimal, 12.5, 12.5],
    [decimal, new ExactNumber('999999999999999.99'), new ExactNumber('999999999999999.99')],
    [decimal, new ExactNumber('1.00000000000000000000'), 1],
    [integer, 10000, 10000],
    [boolean, true, true],
    [members('_x0020_', 'Ship'), '_x0020_', '_x0020_'],
  ])('of %j may be %j', (field, value, kept) => {
    expect(fit(field, value)).toEqual(kept);
  });

  it.each([
    [code(2), 'abc'],
    [text(2), 'abc'],
    [text(2), 1],
    [guid, 'abc'],
    [guid, ''],
    [date, '2026-02-29'],
    [date, '2026-1-1'],
    [date, ''],
    [datetime, 'yesterday'],
    [decimal, '1'],
    [decimal, 1e15],
    [decimal, -1e15],
    [integer, 1.5],
    [integer, 2 ** 31],
    [boolean, 'true'],
    [members('_x0020_', 'In_x0020_Review'), 'In Review'],
    [text(2), null],
  ])('of %j is never %j', (field, value) => {
    expect(() => fit(field, value)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('may be null or decimal text where that is allowed', () => {
    expect(fitted('x', guid, null, { ...rules, nullIsBlank: true })).toBe(guid.blank);
    expect(fitted('x', decimal, '12.50', { ...rules, decimalsAsText: true })).toBe(12.5);
  });
});

describe('a point in time', () => {
  it('sorts as text to a tenth of a microsecond, in UTC', () => {
    expect(sortableInstant('2026-01-01T00:00:00Z')).toBe('2026-01-01T00:00:00.0000000Z');
    expect(sortableInstant('2026-01-01T01:00:00.5+01:00')).toBe('2026-01-01T00:00:00.5000000Z');
    expect(sortableInstant('2026-01-01')).toBe('2026-01-01T00:00:00.0000000Z');
    expect(sortableInstant('2026-13-01T00:00:00Z')).toBeUndefined();
    expect(isDay('2026-04-31')).toBe(false);
  });

  it.each([
    ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00Z'],
    ['2026-01-01T10:00:00.530Z', '2026-01-01T10:00:00.53Z'],
    ['2026-01-01T10:00:00.037Z', '2026-01-01T10:00:00.037Z'],
    ['2026-01-01T10:00:10.000Z', '2026-01-01T10:00:10Z'],
  ])('is printed without zeros at the end of its fraction: %s', (iso, printed) => {
    expect(printedInstant(new Date(iso))).toBe(printed);
  });
});
