import type { JsonObject, StoredEntityType } from '@app/mapper';
import { behaviourOf } from '..';

const lockOn = (entityType: StoredEntityType, current: JsonObject | undefined, ...fields: string[]) =>
  behaviourOf('platform_a').lockOn?.({
    entityType,
    variant: null,
    current,
    changes: fields.map((field) => ({ path: [field], value: 'x' })),
    referred: {},
  });

describe('a record that an accounting system has put its ID on', () => {
  const synced = { id: 1, origin_id: 'ERP-1' };

  it('is locked, in the platform’s words', () => {
    expect(lockOn('payment', synced, 'notes')).toMatch('synced with an ERP system');
    expect(lockOn('invoice', synced, 'due_date')).toMatch('has been synced with ERP');
    expect(lockOn('invoice', synced, 'origin_data')).toMatch('has been synced with ERP');
  });

  it('lets what belongs to that system be changed on a payment', () => {
    expect(lockOn('payment', synced, 'origin_id', 'origin_data')).toBeUndefined();
    expect(lockOn('payment', synced, 'origin_id', 'notes')).toMatch('synced');
  });

  it('does not exist without an ID, for a new record, and for another type', () => {
    for (const origin of [null, '', undefined]) {
      expect(lockOn('payment', origin === undefined ? {} : { origin_id: origin }, 'notes')).toBeUndefined();
    }
    expect(lockOn('payment', undefined, 'origin_id')).toBeUndefined();
    expect(lockOn('contract', synced, 'title')).toBeUndefined();
  });
});
