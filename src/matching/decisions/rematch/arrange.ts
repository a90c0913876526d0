import { groupBy, inPrecedence, platformNames, type PlatformName } from '@app/mapper';
import { type LinkConstraints, type RecordName } from '../../rule/link-constraints';
import { linkRecords, mayBeOne } from '../../rule/link-records';

/** A stored record with the group that the rule of keys gives it before and after a change; null for none. */
export interface Member extends RecordName {
  /** The canonical ID of its object. */
  readonly object: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Whether a command of this service created the record for its object. Such a link needs no rule. */
  readonly created: boolean;
}

/** Records that belong to one object, in the order of precedence. */
export type ObjectRecords = readonly Member[];

/**
 * Groups records into objects again after a change of decisions or of parents. It takes the present objects apart and
 * links their records again by the rule, with the same result as a load of all records. Pure.
 *
 * @param members all records of some objects
 * @param before the constraints when the present links were made
 * @param after the constraints now
 */
export function arrange(
  members: readonly Member[],
  before: LinkConstraints,
  after: LinkConstraints,
  platforms: readonly PlatformName[] = platformNames,
): readonly ObjectRecords[] {
  const objects = groupBy(inPrecedence(members), ({ object }) => object);
  const kept = [...objects.values()].flatMap((records) => takeApart(records, before, after));
  const grouped = kept.map((records) => records.map((record) => ({ ...record, group: record.after })));
  return linkRecords(grouped, after, platforms);
}

/**
 * Takes an object apart where the rule or decisions explain its links. `linkRecords` makes those links again that still
 * hold. A link without an explanation stays, because it was made when the records had other values. The link of a
 * record that this service created stays too. A cannot-link constraint splits any link.
 */
function takeApart(
  records: ObjectRecords,
  before: LinkConstraints,
  after: LinkConstraints,
): readonly ObjectRecords[] {
  const explained = explainedBy(records, before);
  const keeps = (one: Member, other: Member) =>
    one.created ||
    other.created ||
    after.clusterOf(one) === after.clusterOf(other) ||
    explained.get(one) !== explained.get(other);
  const kept: Member[][] = [];
  for (const record of records) {
    const beside = kept.find(
      (together) => together.some((one) => keeps(one, record)) && mayBeOne(together, [record], after),
    );
    if (beside === undefined) kept.push([record]);
    else beside.push(record);
  }
  return kept;
}

/**
 * A group number for each record of an object. Records have the same number if the rule or decisions link them,
 * directly or indirectly.
 */
function explainedBy(records: ObjectRecords, before: LinkConstraints): ReadonlyMap<Member, number> {
  const numbers = new Map(records.map((record, place) => [record, place]));
  for (const [place, one] of records.entries()) {
    for (const other of records.slice(place + 1)) {
      const ruled = one.before !== null && one.before === other.before;
      if (!ruled && before.clusterOf(one) !== before.clusterOf(other)) continue;
      const [stays, goes] = [numbers.get(one), numbers.get(other)];
      for (const [record, number] of numbers)
        if (number === goes && stays !== undefined) numbers.set(record, stays);
    }
  }
  return numbers;
}
