import {
  canonicalId,
  normaliseKey,
  storedEntityTypes,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import type { Customer } from '../../../src/auth/customers/customer';
import { ConnectionsService } from '../../../src/connections/connections.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { StoredRecords } from '../../support/database/stored-records';
import { someRequest } from '../../support/app/request';

describe('the IDs that the database computes', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  let customer: Customer;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  beforeEach(async () => {
    customer = { id: (await service.openSession()).customerId, kind: 'demo' };
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const keyField: Readonly<Record<StoredEntityType, string>> = {
    project: 'project_number',
    customer: 'name',
    contract: 'number',
    invoice: 'invoice_number',
    payment: 'check_number',
  };
  const a = (entityType: StoredEntityType, payload: JsonObject) =>
    record(entityType, payload, entityType === 'contract' ? 'WorkOrderContract' : undefined);
  const idsOf = async (records: readonly ReturnType<typeof a>[]) => {
    sources.give(customer.id, 'platform_a', records);
    await service.app.get(ConnectionsService, { strict: false }).connect(customer, 'platform_a', someRequest);
    return new Map((await stored.of(customer.id)).map((row) => [row.record, row.canonicalId]));
  };
  const keyOf = (entityType: StoredEntityType, text: string) =>
    `${entityType === 'customer' ? 'name:' : ''}${normaliseKey(text)}`;

  // Characters of one to four bytes, those that SQL, COPY or a pattern could take for something else, and a long one.
  const texts = [
    'CHK-2026-0101',
    'O\'Brien \\ "Sons" %_$1 {}',
    'شركاء الدوحة',
    'Straße Ⅷ ﬁn',
    '👩‍👩‍👧 𝔘',
    'a\u001fb',
    'line\u2028break\ttab',
    'x'.repeat(1_000),
    '\\N',
  ];

  it.each(storedEntityTypes)('are canonicalId of the key, for %s', async (entityType) => {
    const ids = await idsOf(
      texts.map((text, index) => a(entityType, { id: index, [keyField[entityType]]: text })),
    );
    for (const [index, text] of texts.entries()) {
      expect(ids.get(`platform_a ${entityType} ${index}`)).toBe(
        canonicalId(customer.id, entityType, { kind: 'key', key: keyOf(entityType, text) }),
      );
    }
  });

  it.each(storedEntityTypes)(
    'are canonicalId of the native ID, for a %s without a key',
    async (entityType) => {
      const nativeIds = texts.map((text) => text.slice(0, 150));
      const ids = await idsOf(nativeIds.map((id) => a(entityType, { id })));
      for (const nativeId of nativeIds) {
        expect(ids.get(`platform_a ${entityType} ${nativeId}`)).toBe(
          canonicalId(customer.id, entityType, { kind: 'native', platform: 'platform_a', nativeId }),
        );
      }
    },
  );

  it.each([
    ['contract', 'project', (id: number) => ({ project: { id } })],
    ['invoice', 'customer', (id: number) => ({ vendor_id: id })],
    ['payment', 'invoice', (id: number) => ({ requisition_id: id })],
  ] as const)(
    'are canonicalId of key and parent, for a %s whose key repeats under others',
    async (type, parentType, under) => {
      const ids = await idsOf([
        a(parentType, { id: 1, [keyField[parentType]]: 'One' }),
        a(parentType, { id: 2, [keyField[parentType]]: 'Two' }),
        ...texts.flatMap((text, index) =>
          [1, 2].map((parent) =>
            a(type, { id: parent * 100 + index, [keyField[type]]: text, ...under(parent) }),
          ),
        ),
      ]);
      for (const [index, text] of texts.entries()) {
        for (const parent of [1, 2]) {
          const parentId = canonicalId(customer.id, parentType, {
            kind: 'key',
            key: keyOf(parentType, parent === 1 ? 'One' : 'Two'),
          });
          expect(ids.get(`platform_a ${type} ${parent * 100 + index}`)).toBe(
            canonicalId(customer.id, type, { kind: 'key in parent', parentId, key: keyOf(type, text) }),
          );
        }
      }
    },
  );

  it('are the IDs of a preview', async () => {
    const { key, customerId } = await service.openSession();
    const response = await fetch(`${service.url}/api/v1/transform`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        source: 'platform_b',
        target: 'platform_a',
        entity_type: 'payment',
        data: { id: '00000000-0000-4000-8000-000000000001', externalDocumentNumber: ' chk-1 ', amount: -1 },
      }),
    });
    const preview = (await response.json()) as { canonical: { id: string } };
    customer = { id: customerId, kind: 'demo' };
    const ids = await idsOf([a('payment', { id: 7, check_number: 'CHK-1' })]);
    expect(ids.get('platform_a payment 7')).toBe(preview.canonical.id);
  });
});
