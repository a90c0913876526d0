import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import customerPayments from '../../../libs/behaviour/src/platform_b/portfolio/customer_payments.json';
import customers from '../../../libs/behaviour/src/platform_b/portfolio/customers.json';
import projectsOfB from '../../../libs/behaviour/src/platform_b/portfolio/projects.json';
import salesInvoices from '../../../libs/behaviour/src/platform_b/portfolio/sales_invoices.json';
import salesOrders from '../../../libs/behaviour/src/platform_b/portfolio/sales_orders.json';
import contractPayments from '../../../libs/behaviour/src/platform_a/portfolio/contract_payments.json';
import projectsOfA from '../../../libs/behaviour/src/platform_a/portfolio/projects.json';
import purchaseOrders from '../../../libs/behaviour/src/platform_a/portfolio/purchase_order_contracts.json';
import requisitions from '../../../libs/behaviour/src/platform_a/portfolio/requisitions.json';
import vendors from '../../../libs/behaviour/src/platform_a/portfolio/vendors.json';
import workOrders from '../../../libs/behaviour/src/platform_a/portfolio/work_order_contracts.json';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { connect, listed, listing, type ListedObject } from '../../support/customers/listings';

type NativeRecord = { readonly id: number | string };
const files: Readonly<Record<PlatformName, Readonly<Record<StoredEntityType, readonly NativeRecord[]>>>> = {
  platform_a: {
    project: projectsOfA,
    customer: vendors,
    contract: [...workOrders, ...purchaseOrders],
    invoice: requisitions,
    payment: contractPayments,
  },
  platform_b: {
    project: projectsOfB,
    customer: customers,
    contract: salesOrders,
    invoice: salesInvoices,
    payment: customerPayments,
  },
};
const prefixes: Readonly<Record<StoredEntityType, string>> = {
  project: 'proj',
  customer: 'cust',
  contract: 'cor',
  invoice: 'inv',
  payment: 'pay',
};
const surfaces = platformNames.flatMap((platform) =>
  storedEntityTypes.map((type) => [platform, type] as const),
);

describe('GET /objects of the connected sandbox', () => {
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.openSession()).key);
    for (const platform of platformNames) await connect(client, platform);
  });
  afterAll(() => service.close());

  describe.each(surfaces)('%s, %s', (platform, entityType) => {
    let objects: readonly ListedObject[];
    beforeAll(async () => {
      objects = await listing(client, platform, entityType);
    });

    it('has records of the documented form', () => {
      for (const object of objects) {
        expect(Object.keys(object)).toEqual([
          'id',
          'canonical_id',
          'platform',
          'entity_type',
          'data',
          'platform_data',
          'mappings',
          'version',
        ]);
        expect(object).toMatchObject({ platform, entity_type: entityType });
        expect(object.canonical_id).toMatch(new RegExp(`^${prefixes[entityType]}_[0-9A-Za-z]{16,}$`));
        expect(object.data).toMatchObject({ id: object.canonical_id, object: entityType });
        expect(JSON.stringify(object.data)).not.toContain('connected_at');
      }
    });

    it('has each record of the platform once, as the data files have it, by native ID', () => {
      const records = [...files[platform][entityType]].sort((one, other) =>
        typeof one.id === 'number' ? one.id - Number(other.id) : one.id < String(other.id) ? -1 : 1,
      );
      expect(objects.map(({ id }) => id)).toEqual(records.map(({ id }) => String(id)));
      expect(objects.map(({ platform_data }) => platform_data)).toEqual(records);
    });

    it('has mappings with platform_a first, and the native IDs in external_ids', () => {
      for (const { id, mappings, data } of objects) {
        expect(mappings).toContainEqual({ platform, platform_id: id });
        const platforms = mappings.map((mapping) => mapping.platform);
        expect([['platform_a', 'platform_b'], [platform]]).toContainEqual(platforms);
        expect(data.external_ids).toMatchObject(
          Object.fromEntries(mappings.map((mapping) => [mapping.platform, mapping.platform_id])),
        );
        expect(Object.keys(data.provider_metadata).sort()).toEqual([...platforms].sort());
      }
    });

    it('has the same canonical object on both sides of a link', async () => {
      const other = platform === 'platform_a' ? 'platform_b' : 'platform_a';
      const theirs = new Map(
        (await listing(client, other, entityType)).map((one) => [one.canonical_id, one]),
      );
      const linked = objects.filter(({ mappings }) => mappings.length === 2);
      expect(linked.length).toBeGreaterThanOrEqual(4);
      for (const { canonical_id, data, mappings } of linked) {
        expect(theirs.get(canonical_id)?.data).toEqual(data);
        expect(theirs.get(canonical_id)?.mappings).toEqual(mappings);
      }
      const alone = objects.filter(({ mappings }) => mappings.length === 1);
      for (const { canonical_id } of alone) expect(theirs.has(canonical_id)).toBe(false);
    });
  });

  const twinOf = async (platform: PlatformName, entityType: StoredEntityType, id: number | string) => {
    const { mappings } = await listed(client, platform, entityType, String(id));
    return mappings.map((mapping) => mapping.platform_id);
  };

  it('links records under the same key', async () => {
    expect(await twinOf('platform_a', 'payment', 1823456)).toEqual([
      '1823456',
      'a34e74db-53c7-4368-8fe7-bb87c83c7902',
    ]);
    expect(await twinOf('platform_b', 'payment', 'a34e74db-53c7-4368-8fe7-bb87c83c7902')).toEqual([
      '1823456',
      'a34e74db-53c7-4368-8fe7-bb87c83c7902',
    ]);
    expect(await twinOf('platform_a', 'contract', 1945782)).toEqual([
      '1945782',
      'e27086cf-303f-4cb0-b36a-d348e484bcd5',
    ]);
    expect(await twinOf('platform_a', 'invoice', 10061)).toEqual([
      '10061',
      'e4c74346-de67-45e7-bc0b-70120927dab0',
    ]);
    expect(await twinOf('platform_a', 'project', 341276)).toEqual([
      '341276',
      '59939926-c49b-49b8-8350-270a7c8179f7',
    ]);
    expect(await twinOf('platform_a', 'customer', 501004)).toEqual([
      '501004',
      'f49ae22a-7deb-4f4b-ba67-c8e09edcf190',
    ]);
  });

  it('links records whose keys differ in case and spacing only', async () => {
    const differing = (await listing(client, 'platform_a', 'payment')).filter(({ data, mappings }) => {
      const twin = customerPayments.find(({ id }) => id === mappings[1]?.platform_id);
      return twin !== undefined && twin.externalDocumentNumber !== data.check_number;
    });
    expect(differing.map(({ data }) => data.check_number).sort()).toEqual([
      ' CHK-2026-0151',
      'chk-2026-0104',
    ]);
    expect(await twinOf('platform_a', 'contract', 1946004)).toEqual([
      '1946004',
      '35dcfa95-dcf3-4863-81f5-3af3a6550d1f',
    ]);
    expect(await twinOf('platform_a', 'invoice', 10067)).toEqual([
      '10067',
      '9fdde71b-d49e-4bbb-9236-22b5afb991df',
    ]);
  });

  it('links the twins of one contract number through their projects', async () => {
    const contracts = (await listing(client, 'platform_a', 'contract')).filter(
      ({ data }) => data.number === 'SC-001',
    );
    expect(contracts).toHaveLength(2);
    for (const { mappings, data, platform_data } of contracts) {
      const order = salesOrders.find(({ id }) => id === mappings[1]?.platform_id);
      const project = await listed(client, 'platform_a', 'project', String(platform_data.project.id));
      expect(order).toMatchObject({
        externalDocumentNumber: 'SC-001',
        shortcutDimension1Code: project.platform_data.project_number,
      });
      expect(data.project_id).toBe(project.canonical_id);
    }
    expect(new Set(contracts.map(({ canonical_id }) => canonical_id)).size).toBe(2);
  });

  it('links a vendor without a tax number by its name', async () => {
    const vendor = await listed(client, 'platform_a', 'customer', '501023');
    expect(vendor.data.name).toBe('Al Rayyan MEP Services WLL');
    expect(vendor.platform_data.business_register).toBeNull();
    expect(vendor.mappings[1]?.platform_id).toBe('2dfee702-b795-4ce7-87d7-24b70311bd7a');
  });

  it('always says status, check number and invoice number of a payment', async () => {
    for (const platform of platformNames) {
      const payments = await listing(client, platform, 'payment');
      expect(payments).toHaveLength(8);
      for (const { data } of payments) {
        expect(typeof data.status).toBe('string');
        expect(typeof data.check_number).toBe('string');
        expect(typeof data.invoice_number).toBe('string');
      }
    }
    expect((await listed(client, 'platform_a', 'payment', '1823456')).data).toMatchObject({
      amount: { amount: 170_000_000, currency: 'USD' },
      status: 'pending',
      check_number: 'CHK-2026-0101',
      invoice_number: 'INV-2025-0061',
      date: '2026-02-01',
      notes: 'Substructure progress payment #1',
    });
  });

  it('shows a payment of platform_b alone as pending, with its invoice’s number', async () => {
    const payment = await listed(client, 'platform_b', 'payment', '75508914-6e39-423c-95ba-296457268799');
    const invoice = await listed(client, 'platform_b', 'invoice', '478f18a1-f4c1-40c9-aaa8-3802ce0d0b55');
    expect(payment.data).toMatchObject({
      amount: { amount: 36_400_000, currency: 'QAR' },
      status: 'pending',
      check_number: 'TT-2026-0041',
      invoice_number: 'INV-2025-0064',
      invoice_id: invoice.canonical_id,
    });
  });

  it('gives linked amounts as platform_a states them, and others in their own currency', async () => {
    for (const [platform, entityType] of surfaces) {
      if (entityType === 'project' || entityType === 'customer') continue;
      for (const { data, mappings } of await listing(client, platform, entityType)) {
        const onA = mappings.some((mapping) => mapping.platform === 'platform_a');
        expect(Number.isSafeInteger(data.amount.amount)).toBe(true);
        if (onA) expect(data.amount.currency).toBe('USD');
        else expect(['QAR', 'AED', 'SAR']).toContain(data.amount.currency);
      }
    }
    const order = await listed(client, 'platform_b', 'contract', 'e27086cf-303f-4cb0-b36a-d348e484bcd5');
    expect(order.data.amount).toEqual({ amount: 850_000_000, currency: 'USD' });
    expect(order.platform_data).toMatchObject({ totalAmountExcludingTax: 30_940_000, currencyCode: 'QAR' });
  });

  it('refers to objects that can be listed', async () => {
    const ids = new Map<string, StoredEntityType>();
    const all: ListedObject[] = [];
    for (const [platform, entityType] of surfaces) {
      for (const object of await listing(client, platform, entityType)) {
        ids.set(object.canonical_id, entityType);
        all.push(object);
      }
    }
    let references = 0;
    for (const { data } of all) {
      for (const [field, type] of [
        ['project_id', 'project'],
        ['customer_id', 'customer'],
        ['contract_id', 'contract'],
        ['invoice_id', 'invoice'],
      ] as const) {
        if (typeof data[field] !== 'string') continue;
        references += 1;
        expect(ids.get(data[field])).toBe(type);
      }
    }
    expect(references).toBeGreaterThan(100);
  });

  it('is empty for a platform that is not connected', async () => {
    const other = api(service.url, (await service.openSession()).key);
    await connect(other, 'platform_a');
    for (const entityType of storedEntityTypes) {
      const answer = await other.get(`/objects?platform=platform_b&entity_type=${entityType}`);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '{"data":[]}' });
    }
    const [project] = await listing(other, 'platform_a', 'project');
    expect(project?.mappings).toEqual([{ platform: 'platform_a', platform_id: '341276' }]);
  });

  it('answers HEAD as GET, without the body', async () => {
    const answer = await client.send('HEAD', '/objects?platform=platform_a&entity_type=payment');
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  const both = /platform and entity_type are both required query parameters/;
  it.each<[string, RegExp]>([
    ['', both],
    ['?platform=platform_a', both],
    ['?entity_type=payment', both],
    ['?platform=&entity_type=payment', /platform/],
    ['?platform=platform_c&entity_type=payment', /platform must be one of platform_a, platform_b/],
    [
      '?platform=platform_a&entity_type=employee',
      /entity_type must be one of project, customer, contract, invoice, payment/,
    ],
    ['?platform=platform_c&entity_type=employee', /platform must be one of .*entity_type must be one of /],
    ['?platform=platform_c', both],
    ['?platform=platform_a&entity_type=__proto__', /entity_type must be one of/],
    ['?platform=platform_a&platform=platform_b&entity_type=payment', /platform must be given only once/],
    ['?platform[]=platform_a&entity_type=payment', /platform/],
    ['?platform=platform_a&entity_type=payment%00', /entity_type/],
  ])('refuses %s', async (query, message) => {
    expectError(await client.get(`/objects${query}`), 400, 'VALIDATION_ERROR', message);
  });

  it.each(['page=2', '__proto__=x'])(
    'refuses the parameter %s, which it does not know',
    async (parameter) => {
      const [name = ''] = parameter.split('=');
      const answer = await client.get(`/objects?platform=platform_a&entity_type=project&${parameter}`);
      expectError(answer, 400, 'VALIDATION_ERROR', new RegExp(name));
    },
  );

  it('needs a key', async () => {
    expectError(
      await api(service.url).get('/objects?platform=platform_a&entity_type=payment'),
      401,
      'AUTHENTICATION_ERROR',
    );
  });
});
