import type { StoredEntityType } from '@app/mapper';
import { fc } from '../../../libs/mapper/src/testing/property';
import type { SourceRecord } from '../../../src/platforms/connector';
import { record } from '../platforms/given-records';
import type { Reference, ReferenceName, Thing } from './matching-model';
import { platforms, type Platform } from '../customers/portfolio';

/** A record in the form of its platform and in the neutral form of the matching model. */
export interface ShapedThing {
  readonly thing: Thing;
  readonly source: SourceRecord;
}

/** A key as it stands in a record, and in its normalised form. */
interface Key {
  readonly spelling: string;
  readonly normal: string | undefined;
}

/** A reference: by number if the platform refers by ID, otherwise by key. */
interface Mention {
  readonly number: number | undefined;
  readonly key: Key | undefined;
}

/** The content of a record, from which the form of each platform is made. */
interface Draft {
  readonly key: Key;
  readonly name: Key;
  readonly by: Readonly<Record<ReferenceName, Mention>>;
}

const types: readonly StoredEntityType[] = ['project', 'customer', 'contract', 'invoice', 'payment'];

// Few keys, so that they collide. Some differ only in leading zeros or punctuation, which count.
const spellings: Readonly<Record<string, readonly string[]>> = {
  'sc-001': ['SC-001', 'sc-001', ' Sc-001', 'ＳＣ-001 '],
  'sc-01': ['SC-01', 'sc-01'],
  'sc 001': ['SC 001', 'sc \t 001', 'SC\u00a0001', '\n sc  001'],
  'strasse 1': ['Straße 1', 'STRASSE 1', 'strasse  1 '],
  // Both lower-case forms of sigma have the same upper-case form.
  νομοσ: ['ΝΟΜΟΣ', 'νομος', 'νομοσ'],
};
const missing: fc.Arbitrary<Key> = fc
  .constantFrom('', '  ')
  .map((spelling) => ({ spelling, normal: undefined }));
const normalForms = Object.keys(spellings);

/** One of the keys in one of its spellings; sometimes none. */
function keyAmong(normals: readonly string[]): fc.Arbitrary<Key> {
  const present = fc
    .constantFrom(...normals)
    .chain((normal) =>
      fc.constantFrom(...(spellings[normal] ?? [])).map((spelling) => ({ spelling, normal })),
    );
  return fc.oneof({ arbitrary: present, weight: 9 }, { arbitrary: missing, weight: 1 });
}

/** The most records of a type on a platform, and the number of keys among which they choose. */
interface Mix {
  readonly most: number;
  readonly keys: number;
  /**
   * Tenths of the records whose key follows from the number of the record, so that it occurs once and links with the
   * record of the same number.
   */
  readonly orderly: number;
}

// Most records that others refer to are linked, so that they decide among records with repeated keys.
const mix: Readonly<Record<StoredEntityType, Mix>> = {
  project: { most: 3, keys: 4, orderly: 8 },
  customer: { most: 3, keys: 4, orderly: 8 },
  contract: { most: 6, keys: 2, orderly: 0 },
  invoice: { most: 5, keys: 5, orderly: 6 },
  payment: { most: 6, keys: 2, orderly: 0 },
};

function keyOf(type: StoredEntityType, number: number): fc.Arbitrary<Key> {
  const { keys, orderly } = mix[type];
  if (orderly === 0) return keyAmong(normalForms.slice(0, keys));
  return fc.oneof(
    { arbitrary: keyAmong(normalForms.slice(number - 1, number)), weight: orderly },
    { arbitrary: keyAmong(normalForms.slice(0, keys)), weight: 10 - orderly },
  );
}

// One number more than there can be records, so that some references have no target.
function mentionOf(type: StoredEntityType): fc.Arbitrary<Mention> {
  return fc.record({
    number: fc.option(fc.integer({ min: 1, max: mix[type].most + 1 }), { nil: undefined, freq: 8 }),
    key: fc.option(keyAmong(normalForms.slice(0, mix[type].keys)), { nil: undefined, freq: 8 }),
  });
}

const mentions = fc.record({
  project_id: mentionOf('project'),
  customer_id: mentionOf('customer'),
  contract_id: mentionOf('contract'),
  invoice_id: mentionOf('invoice'),
});

function draftOf(type: StoredEntityType, number: number): fc.Arbitrary<Draft> {
  return fc.record({ key: keyOf(type, number), name: keyAmong(normalForms), by: mentions });
}

// The fractions have no trailing zeros, so the order of the texts is not the order of the times.
const times = ['2026-01-05T08:00:00Z', '2026-01-05T08:00:00.5Z', '2026-01-05T08:00:00.52Z'];

/**
 * The copies of one record in a feed: most records occur once; some occur in several versions, and each of these
 * twice.
 */
function copiesOf(
  type: StoredEntityType,
  number: number,
): fc.Arbitrary<readonly { readonly one: Draft; readonly version: number }[]> {
  const draft = draftOf(type, number);
  const once = draft.map((one) => [{ one, version: 0 }]);
  const several = fc
    .array(draft, { minLength: 1, maxLength: times.length })
    .map((drafts) => [...drafts, ...drafts].map((one, at) => ({ one, version: at % drafts.length })));
  return fc.oneof({ arbitrary: once, weight: 8 }, { arbitrary: several, weight: 1 });
}

/** The records of two platforms, in any order. */
export const portfolio: fc.Arbitrary<readonly ShapedThing[]> = fc
  .tuple(...types.flatMap((type) => platforms.map((platform) => recordsOf(platform, type))))
  .map((lists) => lists.flat())
  .chain((records) => fc.shuffledSubarray(records, { minLength: records.length }));

function recordsOf(platform: Platform, type: StoredEntityType): fc.Arbitrary<ShapedThing[]> {
  const numbers = Array.from({ length: mix[type].most }, (_, index) => index + 1);
  return fc
    .tuple(...numbers.map((number) => fc.option(copiesOf(type, number), { nil: [], freq: 4 })))
    .map((records) =>
      records.flatMap((copies, index) =>
        copies.map(({ one, version }) => shaped(platform, type, index + 1, one, version)),
      ),
    );
}

function shaped(
  platform: Platform,
  type: StoredEntityType,
  number: number,
  draft: Draft,
  version: number,
): ShapedThing {
  const { payload, references } = (platform === 'platform_a' ? shapeOfA : shapeOfB)[type](draft);
  const key =
    type === 'customer' ? (kindOf('tax', draft.key) ?? kindOf('name', draft.name)) : draft.key.normal;
  const variant = platform === 'platform_a' && type === 'contract' ? workOrPurchase(number) : undefined;
  return {
    thing: { platform, type, id: String(idOn[platform](number)), key, references, version },
    source: record(type, { id: idOn[platform](number), ...payload, ...stampOn(platform, version) }, variant),
  };
}

const idOn = {
  platform_a: (number: number) => number,
  platform_b: (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
} as const satisfies Record<Platform, unknown>;

function stampOn(platform: Platform, version: number): object {
  return { [platform === 'platform_a' ? 'updated_at' : 'lastModifiedDateTime']: times[version] };
}

function workOrPurchase(number: number): string {
  return number % 2 === 0 ? 'WorkOrderContract' : 'PurchaseOrderContract';
}

function kindOf(kind: string, { normal }: Key): string | undefined {
  return normal === undefined ? undefined : `${kind}:${normal}`;
}

type Shape = (draft: Draft) => { readonly payload: object; readonly references: Thing['references'] };

const shapeOfA: Readonly<Record<StoredEntityType, Shape>> = {
  project: ({ key }) => ({ payload: { project_number: key.spelling }, references: {} }),
  customer: ({ key, name }) => ({
    payload: {
      name: name.spelling,
      business_register: key.normal === undefined ? null : { identifier: key.spelling },
    },
    references: {},
  }),
  contract: ({ key, by }) => ({
    payload: {
      number: key.spelling,
      project: nested(by.project_id.number),
      vendor: nested(by.customer_id.number),
    },
    references: named({ project_id: idOnA(by.project_id.number), customer_id: idOnA(by.customer_id.number) }),
  }),
  invoice: ({ key, by }) => ({
    payload: {
      invoice_number: key.spelling,
      commitment_id: by.contract_id.number ?? null,
      project_id: by.project_id.number ?? null,
      vendor_id: by.customer_id.number ?? null,
    },
    references: named({
      contract_id: idOnA(by.contract_id.number),
      project_id: idOnA(by.project_id.number),
      customer_id: idOnA(by.customer_id.number),
    }),
  }),
  payment: ({ key, by }) => ({
    payload: {
      check_number: key.spelling,
      requisition_id: by.invoice_id.number ?? null,
      invoice_number: by.invoice_id.key?.spelling ?? null,
      contract_id: by.contract_id.number ?? null,
      project_id: by.project_id.number ?? null,
    },
    references: named({
      invoice_id: idOnA(by.invoice_id.number) ?? byKey(by.invoice_id.key),
      contract_id: idOnA(by.contract_id.number),
      project_id: idOnA(by.project_id.number),
    }),
  }),
};

const shapeOfB: Readonly<Record<StoredEntityType, Shape>> = {
  project: ({ key }) => ({ payload: { number: key.spelling }, references: {} }),
  customer: ({ key, name }) => ({
    payload: { displayName: name.spelling, taxRegistrationNumber: key.spelling },
    references: {},
  }),
  contract: ({ key, by }) => ({
    payload: {
      externalDocumentNumber: key.spelling,
      shortcutDimension1Code: by.project_id.key?.spelling ?? '',
      customerId: guidOrNone(by.customer_id.number),
    },
    references: named({ project_id: byKey(by.project_id.key), customer_id: idOnB(by.customer_id.number) }),
  }),
  invoice: ({ key, by }) => ({
    payload: {
      externalDocumentNumber: key.spelling,
      orderId: guidOrNone(by.contract_id.number),
      customerPurchaseOrderReference: by.contract_id.key?.spelling ?? '',
      shortcutDimension1Code: by.project_id.key?.spelling ?? '',
      customerId: guidOrNone(by.customer_id.number),
    },
    references: named({
      contract_id: idOnB(by.contract_id.number) ?? byKey(by.contract_id.key),
      project_id: byKey(by.project_id.key),
      customer_id: idOnB(by.customer_id.number),
    }),
  }),
  payment: ({ key, by }) => ({
    payload: {
      externalDocumentNumber: key.spelling,
      appliesToInvoiceId: guidOrNone(by.invoice_id.number),
      customerId: guidOrNone(by.customer_id.number),
    },
    references: named({ invoice_id: idOnB(by.invoice_id.number), customer_id: idOnB(by.customer_id.number) }),
  }),
};

function nested(number: number | undefined): object | null {
  return number === undefined ? null : { id: number };
}

function guidOrNone(number: number | undefined): string {
  return number === undefined ? '00000000-0000-0000-0000-000000000000' : idOn.platform_b(number);
}

function idOnA(number: number | undefined): Reference | undefined {
  return number === undefined ? undefined : { id: String(number) };
}

function idOnB(number: number | undefined): Reference | undefined {
  return number === undefined ? undefined : { id: idOn.platform_b(number) };
}

function byKey(key: Key | undefined): Reference | undefined {
  return key?.normal === undefined ? undefined : { key: key.normal };
}

function named(references: {
  readonly [Field in ReferenceName]?: Reference | undefined;
}): Thing['references'] {
  return Object.fromEntries(Object.entries(references).filter(([, reference]) => reference !== undefined));
}
