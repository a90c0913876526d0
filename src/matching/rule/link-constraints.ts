import type { PlatformName } from '@app/mapper';

/** The platform's name of a record. */
export interface RecordName {
  readonly platform: PlatformName;
  readonly platformId: string;
}

/** A person's decision about two records. */
export type DecisionKind = 'link' | 'not_same';

/** A must-link (`link`) or cannot-link (`not_same`) constraint between two records, from a decision. */
export interface LinkConstraint {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly records: readonly [RecordName, RecordName];
}

/** Records that must-link constraints join: at most one of each platform. Some of them may not exist. */
export interface Cluster {
  readonly name: string;
  readonly records: readonly RecordName[];
}

/** A key for a record within its type. */
export function nameOf({ platform, platformId }: RecordName): string {
  return `${platform} ${platformId}`;
}

/** The must-link and cannot-link constraints between records of one type. Pure. */
export class LinkConstraints {
  private readonly clusters = new Map<string, Cluster>();
  /** Cannot-link constraints, by the names of both clusters. */
  private readonly apart = new Map<string, LinkConstraint>();

  /** @param constraints all constraints about the records that the caller will ask for */
  constructor(private readonly constraints: readonly LinkConstraint[]) {
    for (const { decision, records } of constraints) {
      const [one, other] = [this.clusterOf(records[0]), this.clusterOf(records[1])];
      if (decision !== 'link' || one === other) continue;
      const joined: Cluster = { name: one.name, records: [...one.records, ...other.records] };
      for (const record of joined.records) this.clusters.set(nameOf(record), joined);
    }
    for (const constraint of constraints) {
      if (constraint.decision !== 'not_same') continue;
      const [one, other] = [
        this.clusterOf(constraint.records[0]).name,
        this.clusterOf(constraint.records[1]).name,
      ];
      this.apart.set(`${one}\n${other}`, constraint);
      this.apart.set(`${other}\n${one}`, constraint);
    }
  }

  /** These constraints and further ones. */
  with(further: readonly LinkConstraint[]): LinkConstraints {
    return new LinkConstraints([...this.constraints, ...further]);
  }

  /**
   * Whether the constraints contradict each other at a record: its cluster would have two records of a platform, or two that must
   * stay apart.
   */
  contradictAt(record: RecordName): boolean {
    const { name, records } = this.clusterOf(record);
    const platforms = new Set(records.map(({ platform }) => platform));
    return platforms.size < records.length || this.apart.has(`${name}\n${name}`);
  }

  /** The cluster of a record; a cluster of its own if no decision links it. */
  clusterOf(record: RecordName): Cluster {
    const name = nameOf(record);
    let cluster = this.clusters.get(name);
    if (cluster === undefined) this.clusters.set(name, (cluster = { name, records: [record] }));
    return cluster;
  }

  /** The cannot-link constraint between the clusters of two records. */
  cannotLinkBetween(one: RecordName, other: RecordName): LinkConstraint | undefined {
    return this.apart.size === 0
      ? undefined
      : this.apart.get(`${this.clusterOf(one).name}\n${this.clusterOf(other).name}`);
  }

  /**
   * A must-link constraint that keeps two records of one cluster together: the one between them, or one on the path
   * from one to the other.
   */
  mustLinkBetween(one: RecordName, other: RecordName): LinkConstraint | undefined {
    const names = new Set(this.clusterOf(one).records.map(nameOf));
    const linking = this.constraints.filter(
      ({ decision, records }) => decision === 'link' && names.has(nameOf(records[0])),
    );
    const wanted = new Set([nameOf(one), nameOf(other)]);
    return linking.find(({ records }) => records.every((record) => wanted.has(nameOf(record)))) ?? linking[0];
  }
}
