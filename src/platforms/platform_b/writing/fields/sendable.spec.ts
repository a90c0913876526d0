import type { JsonValue, StoredEntityType } from '@app/mapper';
import { sendable, sentChanges } from './sendable';

const command = (entityType: StoredEntityType, fields: Readonly<Record<string, JsonValue>>) => ({
  entityType,
  changes: Object.entries(fields).map(([name, value]) => ({ path: [name], value })),
});

describe('the changes of a command that are sent', () => {
  it('have the writable reference, not the order that only posting sets', () => {
    const planned = command('invoice', { orderId: 'a', customerPurchaseOrderReference: 'SC-1' });
    expect(sendable(planned)).toEqual(command('invoice', { customerPurchaseOrderReference: 'SC-1' }));
  });

  it('leave out values that the record already shows, in any spelling', () => {
    const shown = { number: 'C-1', city: '', currencyCode: '', creditLimit: 5 };
    const wanted = { number: ' c-1', city: null, currencyCode: 'QAR', creditLimit: 6 };
    const names = (given: object): readonly string[] =>
      sentChanges({ ...command('customer', wanted), ...given }, shown).map(({ path }) => path.join('.'));
    expect(names({ localCurrency: 'QAR' })).toEqual(['creditLimit']);
    expect(names({ localCurrency: 'USD' })).toEqual(['currencyCode', 'creditLimit']);
    expect(names({})).toEqual(['currencyCode', 'creditLimit']);
  });

  it('leave out blank values of a new record', () => {
    const wanted = command('customer', { displayName: 'Acme', city: null });
    expect(sentChanges(wanted, undefined)).toEqual(command('customer', { displayName: 'Acme' }).changes);
  });

  it('have the total, which the line carries, and fields that the page does not know', () => {
    const planned = command('contract', { totalAmountExcludingTax: 5, unheardOf: 1 });
    expect(sendable(planned)).toBe(planned);
  });

  it('are all changes if none of them may be written, so that the platform refuses them', () => {
    const planned = command('invoice', { orderId: 'a' });
    expect(sendable(planned)).toBe(planned);
  });
});
