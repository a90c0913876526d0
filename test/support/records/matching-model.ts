import { canonicalId, type IdBasis, type PlatformName, type StoredEntityType } from '@app/mapper';

/** A record to be matched, independent of a platform's form. */
export interface Thing {
  readonly platform: PlatformName;
  readonly type: StoredEntityType;
  readonly id: string;
  /** The normalised key; undefined for a record without one. */
  readonly key: string | undefined;
  readonly references: { readonly [Field in ReferenceName]?: Reference };
  /** The copy with the larger number is the newer one. */
  readonly version: number;
}

export type ReferenceName = 'project_id' | 'customer_id' | 'contract_id' | 'invoice_id';

/** How a record names another record of its platform. */
export type Reference = { readonly id: string } | { readonly key: string };

/** Where a record is expected to be stored. */
export interface Placement {
  readonly record: string;
  readonly canonicalId: string;
  readonly references: { readonly [Field in ReferenceName]?: string };
  readonly basis: IdBasis['kind'];
  /** Whether no other record of the type on the platform has the key. */
  readonly keyStandsOnce: boolean;
}

/** The expected result of the first load of some records. */
export interface Expectation {
  /** By the record. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** Linked records, as sorted lists of one or two. The same in any order of connects. */
  readonly objects: readonly (readonly string[])[];
}

/** A decision about two records, which are named by {@link nameOf}. */
export interface ModelDecision {
  readonly decision: 'link' | 'not_same';
  readonly records: readonly [string, string];
}

/** Parents come before what refers to them. */
const typesInOrder: readonly StoredEntityType[] = ['project', 'customer', 'contract', 'invoice', 'payment'];
const parentReference: Partial<Record<StoredEntityType, ReferenceName>> = {
  contract: 'project_id',
  invoice: 'customer_id',
  payment: 'invoice_id',
};
const referredType: Record<ReferenceName, StoredEntityType> = {
  project_id: 'project',
  customer_id: 'customer',
  contract_id: 'contract',
  invoice_id: 'invoice',
};

export function nameOf({ platform, type, id }: Pick<Thing, 'platform' | 'type' | 'id'>): string {
  return `${platform} ${type} ${id}`;
}

/**
 * The rules of matching, restated on lists and without a database: quadratic, and easy to verify by reading. Equal
 * keys link if each occurs once on its platform, or else if each occurs once under the same parent.
 *
 * @param connects platforms in the order in which they are connected
 */
export function expectFirstLoad(
  customerId: string,
  feed: readonly Thing[],
  connects: readonly PlatformName[],
): Expectation {
  const things = feed.filter(
    (thing, place) =>
      !feed.some((other, at) => nameOf(other) === nameOf(thing) && isNewer(other, at, thing, place)),
  );
  const objectOf = linkedObjects(things);
  const placements = new Map<string, Placement>();
  const idOfObject = new Map<string, string>();

  for (const platform of connects) {
    for (const type of typesInOrder) {
      for (const thing of things.filter((one) => one.platform === platform && one.type === type)) {
        const object = objectOf.get(thing) ?? nameOf(thing);
        const basis = basisOf(thing, things, objectOf, idOfObject);
        const id = idOfObject.get(object) ?? canonicalId(customerId, type, basis);
        idOfObject.set(object, id);
        const references = Object.fromEntries(
          (Object.keys(thing.references) as ReferenceName[]).flatMap((field) => {
            const target = follow(thing, field, things);
            return target === undefined ? [] : [[field, idOfObject.get(objectOf.get(target) ?? '')]];
          }),
        );
        placements.set(nameOf(thing), {
          record: nameOf(thing),
          canonicalId: id,
          references,
          basis: basis.kind,
          keyStandsOnce: thing.key !== undefined && withKeyOf(thing, things).length === 1,
        });
      }
    }
  }
  const members = new Map<string, string[]>();
  for (const thing of things) {
    const object = objectOf.get(thing) ?? '';
    members.set(object, [...(members.get(object) ?? []), nameOf(thing)].sort());
  }
  return {
    placements,
    objects: [...members.values()].sort((one, other) => (String(one) < String(other) ? -1 : 1)),
  };
}

function isNewer(other: Thing, at: number, thing: Thing, place: number): boolean {
  return other.version > thing.version || (other.version === thing.version && at < place);
}

/**
 * The linked records of two platforms, as sorted lists of one or two. Decisions precede the rule. A record that a
 * decision links has that partner, whether or not the partner exists, and no other. A pair that is ruled out is no
 * candidate.
 */
export function expectLinks(
  things: readonly Thing[],
  decisions: readonly ModelDecision[],
): readonly (readonly string[])[] {
  const members = new Map<string, string[]>();
  for (const [thing, object] of linkedObjects(things, decisions))
    members.set(object, [...(members.get(object) ?? []), nameOf(thing)].sort());
  return [...members.values()].sort((one, other) => (String(one) < String(other) ? -1 : 1));
}

/** A name for the object of each thing, the same for two that are linked. */
function linkedObjects(
  things: readonly Thing[],
  decisions: readonly ModelDecision[] = [],
): ReadonlyMap<Thing, string> {
  const decided = (one: string, other: string) =>
    decisions.find(({ records }) => records.includes(one) && records.includes(other))?.decision;
  const isTaken = (name: string) =>
    decisions.some(({ decision, records }) => decision === 'link' && records.includes(name));
  const objectOf = new Map<Thing, string>(things.map((thing) => [thing, nameOf(thing)]));
  for (const type of typesInOrder) {
    const parentOf = (thing: Thing): string | undefined => {
      const field = parentReference[type];
      const parent = field && follow(thing, field, things);
      return parent && objectOf.get(parent);
    };
    const [left, right] = (['platform_a', 'platform_b'] as const).map((platform) =>
      things.filter((thing) => thing.type === type && thing.platform === platform),
    );
    for (const one of left ?? []) {
      for (const other of right ?? []) {
        const names = [nameOf(one), nameOf(other)] as const;
        const decision = decided(...names);
        if (decision === 'link') objectOf.set(other, objectOf.get(one) ?? '');
        if (decision !== undefined || names.some(isTaken)) continue;
        if (one.key === undefined || one.key !== other.key) continue;
        const pair = [one, other];
        const once = pair.every((thing) => withKeyOf(thing, things).length === 1);
        const parent = parentOf(one);
        const onceUnderParent =
          parent !== undefined &&
          parent === parentOf(other) &&
          pair.every(
            (thing) => withKeyOf(thing, things).filter((same) => parentOf(same) === parent).length === 1,
          );
        if (once || onceUnderParent) objectOf.set(other, objectOf.get(one) ?? '');
      }
    }
  }
  return objectOf;
}

/** The records of its type on its platform that have its key, itself among them. */
function withKeyOf({ platform, type, key }: Thing, things: readonly Thing[]): readonly Thing[] {
  return things.filter((thing) => thing.platform === platform && thing.type === type && thing.key === key);
}

/** The record on the same platform that a reference names: by ID, or by a key that one record alone has. */
function follow(thing: Thing, field: ReferenceName, things: readonly Thing[]): Thing | undefined {
  const reference = thing.references[field];
  if (reference === undefined) return undefined;
  const there = things.filter(
    ({ platform, type }) => platform === thing.platform && type === referredType[field],
  );
  if ('id' in reference) return there.find(({ id }) => id === reference.id);
  const named = there.filter(({ key }) => key === reference.key);
  return named.length === 1 ? named[0] : undefined;
}

function basisOf(
  thing: Thing,
  things: readonly Thing[],
  objectOf: ReadonlyMap<Thing, string>,
  idOfObject: ReadonlyMap<string, string>,
): IdBasis {
  const { key, platform, id, type } = thing;
  if (key === undefined) return { kind: 'native', platform, nativeId: id };
  const same = withKeyOf(thing, things);
  if (same.length === 1) return { kind: 'key', key };
  const field = parentReference[type];
  const parentOf = (one: Thing): string | undefined => {
    const parent = field && follow(one, field, things);
    return parent && idOfObject.get(objectOf.get(parent) ?? '');
  };
  const parentId = parentOf(thing);
  const once = parentId !== undefined && same.filter((one) => parentOf(one) === parentId).length === 1;
  return once ? { kind: 'key in parent', parentId, key } : { kind: 'native', platform, nativeId: id };
}
