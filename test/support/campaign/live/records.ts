import {
  isJsonArray,
  isJsonObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import type { Platform } from '../../customers/portfolio';

/** The records of the sample portfolio that both platforms have and that changes concern. */
export const changeable = ['payment', 'other payment', 'customer', 'project', 'contract'] as const;
export type Changeable = (typeof changeable)[number];

/** Records that one platform lacks. A change of the other platform's record creates them there. */
export const creatable = [
  'payment',
  'project',
  'customer',
  'contract',
  'contract of a known project',
  'project of platform_a',
] as const;
export type Creatable = (typeof creatable)[number];

/** A field with its name in each form. */
interface Field {
  readonly names: Readonly<Record<Form, string>>;
  readonly value: (number: number, form: Form) => JsonValue;
}
type Form = Platform | 'canonical';
const field = (canonical: string, a: string, b: string, value: Field['value']): Field => ({
  names: { canonical, platform_a: a, platform_b: b },
  value,
});
/** An amount in each form. */
const money: Field['value'] = (number, form) => {
  const whole = 1_000_000 + number * 25;
  if (form === 'canonical') return { amount: whole * 100, currency: 'USD' };
  return form === 'platform_a' ? `${whole}.00` : whole;
};
const day = (number: number): string => new Date(Date.UTC(2001, 0, number)).toISOString().slice(0, 10);

interface Record_ {
  readonly entityType: StoredEntityType;
  readonly ids: Readonly<Record<Platform, string>>;
  readonly fields: readonly Field[];
}

const payments = [
  field('notes', 'notes', 'comment', (number) => `ours ${number}`),
  field('check_number', 'check_number', 'externalDocumentNumber', (number) => `OURS-${number}`),
  field('date', 'date', 'postingDate', day),
];

/**
 * The records named by {@link changeable}, and the fields that changes set. Each value belongs to one change only.
 */
export const recordsToChange: Readonly<Record<Changeable, Record_>> = {
  payment: {
    entityType: 'payment',
    ids: { platform_a: '1823456', platform_b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' },
    fields: payments,
  },
  'other payment': {
    entityType: 'payment',
    ids: { platform_a: '1823502', platform_b: '92fbc013-8f0d-4443-a376-030481c85182' },
    fields: payments,
  },
  customer: {
    entityType: 'customer',
    ids: { platform_a: '501004', platform_b: 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190' },
    fields: [
      field('website', 'website', 'website', (number) => `https://ours-${number}.example`),
      field('email', 'email_address', 'email', (number) => `ours-${number}@example.com`),
      field('phone', 'business_phone', 'phoneNumber', (number) => `+974 4400 ${number}`),
    ],
  },
  project: {
    entityType: 'project',
    ids: { platform_a: '341289', platform_b: 'abefd8ac-b2e0-48f7-afc9-7f02ecf45c14' },
    fields: [field('name', 'name', 'displayName', (number) => `Ours ${number} Centre`)],
  },
  contract: {
    entityType: 'contract',
    ids: { platform_a: '1945803', platform_b: 'ee949b7d-d352-4264-9c89-2df29fee5b2d' },
    fields: [
      field('completion_date', 'contract_estimated_completion_date', 'requestedDeliveryDate', day),
      field('amount', 'grand_total', 'totalAmountExcludingTax', money),
      field('contract_date', 'contract_date', 'orderDate', day),
    ],
  },
};

/**
 * An order of a project and a customer that both platforms have. The sample portfolio has no order that platform_a
 * lacks.
 */
const NEW_ORDER = '0d1f6a52-8a55-4c1c-9a6f-6d1f2b3c4e5a';

/** The record on the platform that has it, and a change of that record. The value identifies the created record. */
export const recordsToCreate: Readonly<
  Record<
    Creatable,
    {
      readonly entityType: StoredEntityType;
      readonly on: Platform;
      readonly id: string;
      readonly data: (number: number) => Readonly<Record<string, string>>;
    }
  >
> = {
  payment: {
    entityType: 'payment',
    on: 'platform_a',
    id: '1823391',
    data: (number) => ({ notes: `ours ${number}` }),
  },
  project: {
    entityType: 'project',
    on: 'platform_b',
    id: '7c6eed3d-9acd-41c1-a5b6-293950498ddd',
    data: (number) => ({ displayName: `Ours ${number} Canopies` }),
  },
  customer: {
    entityType: 'customer',
    on: 'platform_b',
    id: 'a54b87d9-3385-49ec-b8d7-26aaaedc636b',
    data: (number) => ({ website: `https://ours-${number}.example` }),
  },
  // It waits for its project and its customer if those are to be created as well; otherwise it is skipped.
  contract: {
    entityType: 'contract',
    on: 'platform_b',
    id: '453e9f7a-fe45-4074-b0fb-46a31126b7d7',
    data: (number) => ({ externalDocumentNumber: `OURS-${number}` }),
  },
  'contract of a known project': {
    entityType: 'contract',
    on: 'platform_b',
    id: NEW_ORDER,
    data: (number) => ({ externalDocumentNumber: `OURS-${number}` }),
  },
  'project of platform_a': {
    entityType: 'project',
    on: 'platform_a',
    id: '341331',
    data: (number) => ({ name: `Ours ${number} Store` }),
  },
};

/** The fields that other users edit, and their paths. */
export const editable: Readonly<
  Record<
    'payment' | 'customer',
    Readonly<Record<Platform, { readonly table: string; readonly fields: readonly string[] }>>
  >
> = {
  payment: {
    platform_a: { table: 'contract_payments', fields: ['notes', 'check_number'] },
    platform_b: { table: 'customerPayments', fields: ['comment', 'externalDocumentNumber'] },
  },
  customer: {
    platform_a: { table: 'vendors', fields: ['website', 'email_address'] },
    platform_b: { table: 'customers', fields: ['website', 'email'] },
  },
};

/**
 * Contracts, invoices and payments that a campaign needs, and their projects. The campaign reads them often, so there
 * are few.
 */
const kept: Readonly<Record<Platform, ReadonlySet<string>>> = {
  platform_a: new Set([
    ...['341276', '341289', '341331', '1945782', '1945790', '1945803', '10061', '10064'],
    ...['1823391', '1823456', '1823502'],
  ]),
  platform_b: new Set([
    ...['59939926-c49b-49b8-8350-270a7c8179f7', 'abefd8ac-b2e0-48f7-afc9-7f02ecf45c14'],
    ...['7c6eed3d-9acd-41c1-a5b6-293950498ddd', 'e27086cf-303f-4cb0-b36a-d348e484bcd5'],
    ...['406ca4bd-039d-465f-b9be-624b9bec8fe6', '453e9f7a-fe45-4074-b0fb-46a31126b7d7'],
    ...['ee949b7d-d352-4264-9c89-2df29fee5b2d', 'e4c74346-de67-45e7-bc0b-70120927dab0'],
    ...['478f18a1-f4c1-40c9-aaa8-3802ce0d0b55', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'],
    ...['92fbc013-8f0d-4443-a376-030481c85182', '75508914-6e39-423c-95ba-296457268799'],
  ]),
};

/** The part of the sample portfolio that a campaign uses, and an order that platform_a lacks. */
export function smallPortfolio(platform: Platform): readonly PortfolioRecord[] {
  const part = behaviourOf(platform)
    .portfolio()
    .filter(({ entityType, payload }) => entityType === 'customer' || kept[platform].has(idOf(payload)));
  return part.flatMap((record) =>
    idOf(record.payload) === recordsToChange.contract.ids.platform_b
      ? [record, { ...record, payload: newOrder(record.payload) }]
      : [record],
  );
}

/** A copy of an order with other IDs and numbers. */
function newOrder(order: JsonObject): JsonObject {
  const lines = order['salesOrderLines'];
  const [line] = isJsonArray(lines) ? lines.filter(isJsonObject) : [];
  return {
    ...order,
    id: NEW_ORDER,
    number: 'S-ORD109001',
    externalDocumentNumber: 'C-NEW-001',
    salesOrderLines: [{ ...line, id: '5b0c7f6e-1f2d-4c3b-8a99-0d9e8f7a6b5c', documentId: NEW_ORDER }],
  };
}

function idOf(payload: JsonObject): string {
  return stringifyJson(payload['id'] ?? null).replaceAll('"', '');
}
