import { wantedTriggers } from './triggers';

describe('wantedTriggers', () => {
  it('takes the events of what is read, as far as they are offered', () => {
    expect(
      wantedTriggers([
        { name: 'Projects', resource_name: 'Projects', create: true, update: true, delete: true },
        { name: 'Project Vendors', create: true, update: false, delete: true },
        { name: 'RFIs', create: true, update: true, delete: true },
        { name: 'purchase_order_contracts' },
      ]),
    ).toEqual([
      { resource: 'Projects', event: 'create' },
      { resource: 'Projects', event: 'update' },
      { resource: 'Projects', event: 'delete' },
      { resource: 'Project Vendors', event: 'create' },
      { resource: 'Project Vendors', event: 'delete' },
      { resource: 'purchase_order_contracts', event: 'create' },
      { resource: 'purchase_order_contracts', event: 'update' },
      { resource: 'purchase_order_contracts', event: 'delete' },
    ]);
  });

  it.each([[null], [{}], [[]], [['Projects']], [[{ name: 7 }]]])('finds nothing in %j', (resources) => {
    expect(wantedTriggers(resources)).toEqual([]);
  });
});
