import { ExactNumber } from '@app/mapper';
import { NO_GUID, sameValue } from './field-kinds';

describe('values of fields', () => {
  it.each([
    ['decimal', 100, new ExactNumber('100.00')],
    ['decimal', new ExactNumber('999999999999999.990'), new ExactNumber('999999999999999.99')],
    ['decimal', null, 0],
    ['code', ' sc-1 ', 'SC-1'],
    ['code', undefined, ''],
    ['guid', 'F2A5738A-44E3-EA11-BB43-000D3A2FECA1', 'f2a5738a-44e3-ea11-bb43-000d3a2feca1'],
    ['guid', null, NO_GUID],
    ['guid', '', NO_GUID],
    ['word', 'In_x0020_Review', 'In Review'],
    ['word', '_x0020_', ' '],
    ['date', null, '0001-01-01'],
    ['text', null, ''],
    ['boolean', undefined, false],
    [undefined, undefined, null],
    [undefined, 2.5, new ExactNumber('2.50')],
  ] as const)('%s: %j is %j', (kind, one, other) => {
    expect(sameValue(kind, one, other)).toBe(true);
  });

  it.each([
    ['decimal', 100, 100.01],
    ['text', 'a', 'A'],
    ['text', 'a', ' a'],
    ['code', 'A', 'B'],
    ['date', '2026-01-01', null],
    [undefined, 'a', 'A'],
    [undefined, 2.5, '2.5'],
  ] as const)('%s: %j is not %j', (kind, one, other) => {
    expect(sameValue(kind, one, other)).toBe(false);
  });
});
