import type { JsonValue, StoredEntityType } from '@app/mapper';
import { sendable, sentChanges } from './sendable';

const command = (entityType: StoredEntityType, fields: Readonly<Record<string, JsonValue>>) => ({
  entityType,
  changes: Object.entries(fields).map(([name, value]) => ({ path: [name], value })),
});

describe('what is sent of a command', () => {
  it('is the reference that can be written, not the order that only posting names', () => {
    const planned = command('invoice', { orderId: 'a', customerPurchaseOrderReference: 'SC-1' });
    expect(sendable(planned)).toEqual(command('invoice', { customerPurchaseOrderReference: 'SC-1' }));
  });

  it('is not what the record shows already, in whatever spelling', () => {
    const shown = { number: 'C-1', city: '', currencyCode: '', creditLimit: 5 };
    const wanted = { number: ' c-1', city: null, currencyCode: 'QAR', creditLimit: 6 };
    const names = (given: object): readonly string[] =>
      sentChanges({ ...command('customer', wanted), ...given }, shown).map(({ path }) => path.join('.'));
    expect(names({ localCurrency: 'QAR' })).toEqual(['creditLimit']);
    expect(names({ localCurrency: 'USD' })).toEqual(['currencyCode', 'creditLimit']);
    expect(names({})).toEqual(['currencyCode', 'creditLimit']);
  });

  it('is of a new record what is not to be blank', () => {
    const wanted = command('customer', { displayName: 'Acme', city: null });
    expect(sentChanges(wanted, undefined)).toEqual(command('customer', { displayName: 'Acme' }).changes);
  });

  it('is the total, which its line carries, and what the page does not know', () => {
    const planned = command('contract', { totalAmountExcludingTax: 5, unheardOf: 1 });
    expect(sendable(planned)).toBe(planned);
  });

  it('is all of it where nobody may write any of it, so that it is refused', () => {
    const planned = command('invoice', { orderId: 'a' });
    expect(sendable(planned)).toBe(planned);
  });
});
