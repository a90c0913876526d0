import { inPrecedence, platformNames, type PlatformName } from '@app/mapper';
import { pairsOf } from '../link-objects';
import { nameOf, type LinkConstraints, type RecordName } from './link-constraints';

/** A stored record with the group that the matching rule gives it before and after a change; null for none. */
export interface Member extends RecordName {
  /** The canonical ID of its object. */
  readonly object: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Whether a command of this service created the record for its object. Such a link needs no rule. */
  readonly created: boolean;
}

/** Records that belong to one object. */
export type RecordGroup = readonly Member[];

/**
 * Groups records again after a change of decisions or of parents. Decisions come first. Then the rule links the
 * records of a group, platform pairs in order of precedence, as a load of all records would. A link that the rule or
 * a decision made before and that neither supports any more is removed. Other links stay: they were made when the
 * records had other values, or by creating one of them. Pure.
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
): readonly RecordGroup[] {
  const parts = new RecordGroups(after);
  const ordered = inPrecedence(members);
  for (const ofObject of byName(ordered, ({ object }) => object).values()) {
    const explained = explainedBy(ofObject, before);
    const begun: Member[] = [];
    for (const member of ofObject) {
      const bound = begun.find(
        (one) => staysWith(one, member, explained, after) && parts.mayJoin(one, member, 'there'),
      );
      parts.add(member, bound);
      begun.push(member);
    }
  }
  // Records that a new decision links still belong to different objects.
  for (const ofCluster of byName(ordered, (member) => after.clusterOf(member).name).values()) {
    const [first, ...others] = ofCluster;
    for (const other of others) if (first !== undefined) parts.join(first, other, 'there');
  }
  const grouped = ordered.filter(({ after: group }) => group !== null);
  const groups = [...byName(grouped, ({ after: group }) => group ?? '').values()];
  for (const [left, right] of pairsOf(platforms)) {
    for (const group of groups) {
      const one = group.find(({ platform }) => platform === left);
      const other = group.find(({ platform }) => platform === right);
      if (one !== undefined && other !== undefined) parts.join(one, other, 'reserved');
    }
  }
  return parts.all();
}

function staysWith(
  one: Member,
  other: Member,
  explained: ReadonlyMap<Member, number>,
  after: LinkConstraints,
): boolean {
  if (one.created || other.created || after.clusterOf(one) === after.clusterOf(other)) return true;
  return explained.get(one) !== explained.get(other);
}

/**
 * Numbers the records of an object. Records have the same number if the rule or decisions linked them, directly or
 * through others.
 */
function explainedBy(members: readonly Member[], before: LinkConstraints): ReadonlyMap<Member, number> {
  const numbers = new Map(members.map((member, place) => [member, place]));
  for (const [place, one] of members.entries()) {
    for (const other of members.slice(place + 1)) {
      const ruled = one.before !== null && one.before === other.before;
      if (!ruled && before.clusterOf(one) !== before.clusterOf(other)) continue;
      const [stays, goes] = [numbers.get(one), numbers.get(other)];
      for (const [member, number] of numbers)
        if (number === goes && stays !== undefined) numbers.set(member, stays);
    }
  }
  return numbers;
}

function byName(members: readonly Member[], nameOne: (member: Member) => string): Map<string, Member[]> {
  const lists = new Map<string, Member[]>();
  for (const member of members) {
    const list = lists.get(nameOne(member));
    if (list === undefined) lists.set(nameOne(member), [member]);
    else list.push(member);
  }
  return lists;
}

/** Whether the places of records that decisions link count as taken while the records are not there. */
type Places = 'there' | 'reserved';

/** Parts that grow. */
class RecordGroups {
  private readonly partOf = new Map<string, Member[]>();

  constructor(private readonly constraints: LinkConstraints) {}

  add(member: Member, beside: Member | undefined): void {
    const group = (beside && this.partOf.get(nameOf(beside))) ?? [];
    group.push(member);
    this.partOf.set(nameOf(member), group);
  }

  /** Whether a record that is in no part yet may come to another one's. */
  mayJoin(one: Member, newcomer: Member, places: Places): boolean {
    return this.fit(this.partOf.get(nameOf(one)) ?? [one], [newcomer], places);
  }

  /** Makes one the parts of two records, unless something is against it. */
  join(one: Member, other: Member, places: Places): void {
    const [stays, goes] = [this.partOf.get(nameOf(one)), this.partOf.get(nameOf(other))];
    if (stays === undefined || goes === undefined || stays === goes || !this.fit(stays, goes, places)) return;
    for (const member of goes) this.partOf.set(nameOf(member), stays);
    stays.push(...goes);
  }

  all(): readonly RecordGroup[] {
    return [...new Set(this.partOf.values())].map((group) => inPrecedence(group));
  }

  private fit(group: readonly Member[], other: readonly Member[], places: Places): boolean {
    const taken = new Set(group.flatMap((member) => this.placesOf(member, places)));
    if (other.some((member) => this.placesOf(member, places).some((place) => taken.has(place)))) return false;
    return !group.some((one) =>
      other.some((two) => this.constraints.cannotLinkBetween(one, two) !== undefined),
    );
  }

  private placesOf(member: Member, places: Places): readonly PlatformName[] {
    if (places === 'there') return [member.platform];
    return this.constraints.clusterOf(member).records.map(({ platform }) => platform);
  }
}
