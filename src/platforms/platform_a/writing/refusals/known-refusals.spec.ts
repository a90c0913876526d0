import type { JsonObject, JsonValue } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { knownRefusal } from './known-refusals';

describe('a contract of which only the project’s ID of the vendor is known', () => {
  const contract = { status: 'Draft', vendor: { id: null, project_vendor_id: 10 } };
  const refusal = (current: JsonObject, set: Readonly<Record<string, JsonValue>>): string | undefined => {
    const changes = Object.entries(set).map(([name, value]) => ({ path: name.split('.'), value }));
    const command: WriteCommand = {
      id: '00000000-0000-4000-8000-000000000000',
      customerId: 'c',
      platform: 'platform_a',
      entityType: 'contract',
      variant: 'PurchaseOrderContract',
      platformId: '1',
      ifMatch: null,
      referred: {},
      changes,
    };
    return knownRefusal(command, current);
  };

  it('can be approved, since it has a vendor', () => {
    const words = "vendor_id must be selected when the contract's status is not draft";
    expect(refusal(contract, { status: 'Approved' })).toBeUndefined();
    expect(refusal({ ...contract, vendor: { id: null } }, { status: 'Approved' })).toBe(words);
    const shown = { status: 'Approved', vendor: { id: 5, project_vendor_id: 10 } };
    expect(refusal(shown, { 'vendor.id': null })).toBe(words);
  });
});
