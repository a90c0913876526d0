import { groupBy, inPrecedence, platformNames, type PlatformName } from '@app/mapper';
import { nameOf, type LinkConstraints, type RecordName } from './link-constraints';

/** A record with its group of the rule of keys, see `keyGroups`; null for a record without one. */
export interface GroupedRecord extends RecordName {
  readonly group: string | null;
}

/**
 * The rule that makes objects of records. A run and a decision both link by it.
 *
 * 1. Records of one cluster of must-link constraints become one object.
 * 2. Records of one group become one object. Pairs of platforms take their turn in the order of precedence, so that an
 *    object grows from pair to pair.
 *
 * No link gives an object two records of one platform or crosses a cannot-link constraint. In step 2, a record of a
 * cluster that does not exist at the moment keeps its place on its platform. The order of objects, records and groups
 * has no effect. Pure.
 *
 * @param objects records that are one already, and stay so
 * @param constraints all constraints about these records
 * @returns each record once, by object; the records of an object in the order of precedence
 */
export function linkRecords<Item extends GroupedRecord>(
  objects: readonly (readonly Item[])[],
  constraints: LinkConstraints,
  platforms: readonly PlatformName[] = platformNames,
): readonly (readonly Item[])[] {
  const growing = new GrowingObjects(objects, constraints);
  const records = inPrecedence(objects.flat());
  for (const [first, ...others] of groupBy(records, (one) => constraints.clusterOf(one).name).values()) {
    for (const other of others) growing.join(first, other, placesOfRecords);
  }
  const groups = groupBy(records, ({ group }) => group);
  groups.delete(null);
  for (const [left, right] of pairsOf(platforms)) {
    for (const group of groups.values()) {
      const one = group.find(({ platform }) => platform === left);
      const other = group.find(({ platform }) => platform === right);
      if (one !== undefined && other !== undefined) growing.join(one, other, placesOfClusters);
    }
  }
  return growing.all();
}

/** Whether no cannot-link constraint keeps two sets of records apart. Pure. */
export function mayBeOne(
  some: readonly RecordName[],
  others: readonly RecordName[],
  constraints: LinkConstraints,
): boolean {
  return !some.some((one) => others.some((other) => constraints.cannotLinkBetween(one, other) !== undefined));
}

/** All pairs of platforms, in the order of precedence. */
function pairsOf(platforms: readonly PlatformName[]): readonly (readonly [PlatformName, PlatformName])[] {
  return platforms.flatMap((left, place) =>
    platforms.slice(place + 1).map((right): readonly [PlatformName, PlatformName] => [left, right]),
  );
}

/** The platforms on which a record takes a place. */
type Places = (record: RecordName, constraints: LinkConstraints) => readonly PlatformName[];
const placesOfRecords: Places = ({ platform }) => [platform];
const placesOfClusters: Places = (record, constraints) =>
  constraints.clusterOf(record).records.map(({ platform }) => platform);

class GrowingObjects<Item extends RecordName> {
  private readonly objectOf = new Map<string, Item[]>();

  constructor(
    objects: readonly (readonly Item[])[],
    private readonly constraints: LinkConstraints,
  ) {
    for (const records of objects) {
      const object = [...records];
      for (const record of records) this.objectOf.set(nameOf(record), object);
    }
  }

  /** Joins the objects of two records, unless both have a record of one platform or a constraint keeps them apart. */
  join(one: Item, other: Item, places: Places): void {
    const [stays, goes] = [this.objectOf.get(nameOf(one)), this.objectOf.get(nameOf(other))];
    if (stays === undefined || goes === undefined || stays === goes) return;
    const taken = new Set(this.placesOf(stays, places));
    if (this.placesOf(goes, places).some((place) => taken.has(place))) return;
    if (!mayBeOne(stays, goes, this.constraints)) return;
    for (const record of goes) this.objectOf.set(nameOf(record), stays);
    stays.push(...goes);
  }

  all(): readonly (readonly Item[])[] {
    return [...new Set(this.objectOf.values())].map((object) => inPrecedence(object));
  }

  private placesOf(object: readonly Item[], places: Places): readonly PlatformName[] {
    return object.flatMap((record) => places(record, this.constraints));
  }
}
