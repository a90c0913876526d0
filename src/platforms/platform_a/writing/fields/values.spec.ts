import { ExactNumber, type JsonValue } from '@app/mapper';
import { openChanges, sameValue } from './values';

describe('two values', () => {
  it.each<[string, JsonValue | undefined, JsonValue | undefined, boolean]>([
    ['grand_total', '100.0', '100.00', true],
    ['grand_total', '100.0', '100.01', false],
    ['grand_total', 'x', 'x', true],
    ['number', '1.0', '1.00', false],
    ['number', null, '', true],
    ['number', null, undefined, true],
    ['number', '', '0', false],
    ['vendor.id', 7, '7', true],
    ['vendor.id', new ExactNumber('9007199254740993'), '9007199254740993', true],
    ['vendor.id', 7, 8, false],
    ['origin_id', '007', '7', false],
    ['executed', false, null, false],
    ['custom_fields.custom_field_1.value', 2.5, '2.50', true],
    ['custom_fields.custom_field_1.value', 2.5, new ExactNumber('2.50'), true],
    ['custom_fields.custom_field_1.value', '2.5', '2.50', false],
    ['custom_fields.custom_field_1.value', 2.5, 'x', false],
  ])('of %s: %p and %p', (path, one, other, same) => {
    expect(sameValue('contract', path.split('.'), one, other)).toBe(same);
    expect(sameValue('contract', path.split('.'), other, one)).toBe(same);
  });

  it('that are never shown leave nothing open', () => {
    const changes = [
      { path: ['payment_method'], value: 'check' },
      { path: ['notes'], value: 'n' },
    ];
    expect(openChanges('payment', changes, {})).toEqual([changes[1]]);
  });
});
