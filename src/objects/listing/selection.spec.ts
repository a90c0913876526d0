import { Cursors } from '../../common/paging/paging';
import { isText } from '../../common/paging/sort-keys';
import { isUnconditional, parametersOf, type Selection } from './selection';

const customerId = '00000000-0000-4000-8000-000000000001';
const whole: Selection = { customerId, platform: 'platform_a', entityType: 'payment' };

describe('a selection', () => {
  it('has no conditions where it selects all present records', () => {
    expect(isUnconditional(whole)).toBe(true);
    expect(isUnconditional({ ...whole, canonicalId: 'x' })).toBe(false);
    expect(isUnconditional({ ...whole, modifiedAfter: '2026-01-01T00:00:00Z' })).toBe(false);
    expect(isUnconditional({ ...whole, includeDeleted: true })).toBe(false);
  });

  it('keeps the names of its parameters, so that cursors which clients have stay valid', () => {
    const cursors = new Cursors<readonly [string, string]>('objects', [isText, isText]);
    const selection: Selection = {
      ...whole,
      canonicalId: 'x',
      modifiedAfter: '2026-01-01T00:00:00Z',
      includeDeleted: true,
    };
    const given = 'WzIsIllvVUo0ZkZ0eTlXMXQ0cTlQRFRoZkoiLFsiMDAwMSIsIjEiXV0';
    expect(cursors.encode(customerId, { ...parametersOf(selection) }, ['0001', '1'])).toBe(given);
  });
});
