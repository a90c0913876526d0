import { recordsNamed, wantedTriggers } from './triggers';

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

describe('recordsNamed', () => {
  it('finds the record in both forms of events', () => {
    const payment = { entityType: 'payment', platformId: '7' };
    expect(
      recordsNamed({
        resource_name: 'Contract Payments',
        resource_id: 7,
        event_type: 'update',
        project_id: null,
      }),
    ).toEqual([payment]);
    expect(
      recordsNamed({
        resource_type: 'Contract Payments',
        resource_id: '7',
        reason: 'create',
        project_id: '12',
      }),
    ).toEqual([{ ...payment, project: '12' }]);
  });

  it.each([
    [{ resource_name: 'Work Order Contract Line Items', resource_id: 7 }],
    [{ resource_name: 'Project Vendors', resource_id: 7 }],
    [{ resource_name: 'Contract Payments', resource_id: 7, event_type: 'delete' }],
    [{ resource_name: 'Contract Payments', resource_id: '7 or 1=1' }],
    [[{ resource_name: 'Contract Payments', resource_id: 7 }]],
    ['Contract Payments'],
  ])('finds none in %j', (event) => {
    expect(recordsNamed(event)).toEqual([]);
  });
});
