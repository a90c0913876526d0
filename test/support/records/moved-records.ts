import type { PlatformName } from '@app/mapper';
import { fc } from '../../../libs/mapper/src/testing/property';
import type { SourceRecord } from '../../../src/platforms/connector';
import { record } from '../platforms/given-records';
import type { Thing } from './matching-model';
import { MovingPlatform } from '../platforms/moving-platform';
import { platforms, storedTypes, type Platform, type StoredType } from '../customers/portfolio';

/** A record in a form that both platforms share. Numbers are native IDs; 0 stands for no key and no parent. */
export interface Content {
  readonly platform: Platform;
  readonly type: StoredType;
  readonly number: number;
  readonly key: number;
  readonly parent: number;
  readonly note: number;
}

/** What happens to the records of a customer. Numbers choose among what there is then. */
export type Step =
  | ({ readonly do: 'put' } & Content)
  /** @param ofDecision whether it is a record of the latest decision that stands */
  | { readonly do: 'remove'; readonly pick: number; readonly ofDecision?: boolean }
  /** The record that was removed last comes back, also after another one has got its number and key. */
  | { readonly do: 'return'; readonly replaced: boolean }
  /** The platform gives a record another native ID, and names it in the records that refer to it, or not. */
  | { readonly do: 'rename'; readonly pick: number; readonly follow: boolean }
  | {
      readonly do: 'decide';
      readonly decision: 'link' | 'not_same';
      readonly pick: readonly [number, number];
    }
  | { readonly do: 'withdraw'; readonly pick: number }
  /** The sandbox is read in place of the live platform, or the other way round. */
  | { readonly do: 'swap'; readonly platform: Platform }
  /** The connection is removed with its records. The next step of the platform connects it again. */
  | { readonly do: 'purge'; readonly platform: Platform };

const platform = fc.constantFrom(...platforms);
const pick = fc.nat(1000);
// Few numbers and keys, so that they meet. Most records are of types whose parents decide among equal keys.
const content = {
  platform,
  type: fc.oneof(
    fc.constantFrom(...storedTypes),
    fc.constantFrom<StoredType[]>('contract', 'invoice', 'invoice', 'payment', 'payment'),
  ),
  number: fc.integer({ min: 1, max: 3 }),
  key: fc.integer({ min: 0, max: 3 }),
  parent: fc.integer({ min: 0, max: 3 }),
  note: fc.nat(3),
};

/** Records of both platforms. */
export const contents: fc.Arbitrary<readonly Content[]> = fc.array(fc.record(content), {
  minLength: 10,
  maxLength: 30,
  size: 'max',
});

const oneStep = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put'), ...content }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('remove'), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename'), pick, follow: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('decide'),
      decision: fc.constantFrom('link', 'not_same'),
      pick: fc.tuple(pick, pick),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('withdraw'), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('swap'), platform }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge'), platform }) },
);

// Steps that are seldom drawn one after another: a record whose place another one takes while it is gone, and a link that a
// person takes back while one of its records is gone.
const gone = fc.record({ pick, replaced: fc.boolean() }).map(({ pick: one, replaced }): readonly Step[] => [
  { do: 'remove', pick: one },
  { do: 'return', replaced },
]);
const takenBack = fc
  .record({ pick: fc.tuple(pick, pick), removed: pick })
  .map(({ pick: pair, removed }): readonly Step[] => [
    { do: 'decide', decision: 'link', pick: pair },
    { do: 'remove', pick: removed, ofDecision: true },
    { do: 'withdraw', pick: 0 },
    { do: 'return', replaced: false },
  ]);

/** Steps, in the frequency in which they are likely to meet. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: oneStep.map((step): readonly Step[] => [step]) },
      { weight: 1, arbitrary: gone },
      { weight: 1, arbitrary: takenBack },
    ),
    { minLength: 4, maxLength: 8, size: 'max' },
  )
  .map((all) => all.flat());

/** A source of a platform's records: the sandbox, or a company. */
export class RecordSource {
  readonly moving = new MovingPlatform([]);
  private readonly held = new Map<string, Content>();

  contents(): readonly Content[] {
    return [...this.held.values()];
  }

  put(one: Content): void {
    this.held.set(`${one.type} ${one.number}`, one);
    this.moving.put(sourceOf(one));
  }

  remove({ platform: name, type, number }: Content): void {
    this.held.delete(`${type} ${number}`);
    this.moving.remove(type, name === 'platform_a' ? String(number) : JSON.stringify(idOn(name, number)));
  }

  /** @param follow whether the records that refer to it name the other number */
  rename(one: Content, number: number, follow: boolean): void {
    this.remove(one);
    this.put({ ...one, number });
    if (!follow) return;
    for (const child of this.contents())
      if (parentType[child.type] === one.type && child.parent === one.number && !namesByKey(child))
        this.put({ ...child, parent: number });
  }
}

/** The same record with other native IDs, as another source has them. */
export function elsewhere(one: Content): Content {
  return { ...one, number: one.number + 10, parent: one.parent === 0 ? 0 : one.parent + 10 };
}

/** The native ID of a number. */
export function idOn(name: PlatformName, number: number): string {
  return name === 'platform_a'
    ? String(number)
    : `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const parentType: Partial<Record<StoredType, StoredType>> = {
  contract: 'project',
  invoice: 'customer',
  payment: 'invoice',
};

function keyText(key: number): string {
  return key === 0 ? '' : `K-${((key - 1) % 10) + 1}`;
}

/** An order of platform_b names its project by number. */
function namesByKey({ platform: name, type }: Content): boolean {
  return name === 'platform_b' && type === 'contract';
}

/** The record in the form of the matching model. */
export function thingOf(one: Content): Thing {
  const { platform: name, type, number, parent } = one;
  const key = one.key === 0 ? undefined : keyText(one.key).toLowerCase();
  const field = parent === 0 ? undefined : parentType[type];
  const reference = namesByKey(one) ? { key: keyText(parent).toLowerCase() } : { id: idOn(name, parent) };
  return {
    platform: name,
    type,
    id: idOn(name, number),
    key: type !== 'customer' ? key : key === undefined ? `name:${nameOn(one)}` : `tax:${key}`,
    references: field === undefined ? {} : { [`${field}_id`]: reference },
    version: 0,
  };
}

function nameOn({ platform: name, number }: Content): string {
  return `${name === 'platform_a' ? 'n' : 'm'}${number}`;
}

function sourceOf(one: Content): SourceRecord {
  const { platform: name, type } = one;
  const isCommitment = name === 'platform_a' && type === 'contract';
  return record(type, payloadOf(one), isCommitment ? 'WorkOrderContract' : undefined);
}

function payloadOf(one: Content): object {
  const { platform: name, type, number, parent, note } = one;
  const key = keyText(one.key);
  if (name === 'platform_a') {
    const id = number;
    const of = {
      project: { id, project_number: key, description: `d${note}` },
      customer: { id, name: nameOn(one), business_register: key === '' ? null : { identifier: key } },
      contract: { id, number: key, title: `t${note}`, project: parent === 0 ? null : { id: parent } },
      invoice: { id, invoice_number: key, vendor_id: parent === 0 ? null : parent },
      payment: { id, check_number: key, requisition_id: parent === 0 ? null : parent, notes: `t${note}` },
    };
    return of[type];
  }
  const id = idOn(name, number);
  const referred = parent === 0 ? '00000000-0000-0000-0000-000000000000' : idOn(name, parent);
  const of = {
    project: { id, number: key, displayName: `d${note}` },
    customer: { id, displayName: nameOn(one), taxRegistrationNumber: key },
    contract: { id, externalDocumentNumber: key, shortcutDimension1Code: keyText(parent) },
    invoice: { id, externalDocumentNumber: key, customerId: referred },
    payment: { id, externalDocumentNumber: key, appliesToInvoiceId: referred, comment: `t${note}` },
  };
  return of[type];
}
