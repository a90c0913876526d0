import type { PlatformName } from '@app/mapper';

/** A record as its platform names it. */
export interface RecordName {
  readonly platform: PlatformName;
  readonly platformId: string;
}

/** What a person says of two records. */
export type DecisionKind = 'link' | 'not_same';

/** A decision about a pair, as far as matching goes by it. */
export interface LinkConstraint {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly records: readonly [RecordName, RecordName];
}

/** Records that decisions hold together: one of a platform at most, some of which may not be there. */
export interface Cluster {
  readonly name: string;
  readonly records: readonly RecordName[];
}

/** One text for a record of a type. */
export function nameOf({ platform, platformId }: RecordName): string {
  return `${platform} ${platformId}`;
}

/** What standing decisions about records of one type come to. Pure. */
export class LinkConstraints {
  private readonly clusters = new Map<string, Cluster>();
  /** Decisions that keep two clusters apart, by the names of both. */
  private readonly apart = new Map<string, LinkConstraint>();

  /** @param constraints all standing decisions that bear on the records that will be asked for */
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

  /** The cluster of a record; one of its own where nobody linked it. */
  clusterOf(record: RecordName): Cluster {
    const name = nameOf(record);
    let cluster = this.clusters.get(name);
    if (cluster === undefined) this.clusters.set(name, (cluster = { name, records: [record] }));
    return cluster;
  }

  /** The decision that keeps the clusters of two records apart. */
  cannotLinkBetween(one: RecordName, other: RecordName): LinkConstraint | undefined {
    return this.apart.size === 0
      ? undefined
      : this.apart.get(`${this.clusterOf(one).name}\n${this.clusterOf(other).name}`);
  }

  /** A decision that holds two records of one cluster together: the one about them, or one on the way from one to the other. */
  mustLinkBetween(one: RecordName, other: RecordName): LinkConstraint | undefined {
    const names = new Set(this.clusterOf(one).records.map(nameOf));
    const linking = this.constraints.filter(
      ({ decision, records }) => decision === 'link' && names.has(nameOf(records[0])),
    );
    const wanted = new Set([nameOf(one), nameOf(other)]);
    return linking.find(({ records }) => records.every((record) => wanted.has(nameOf(record)))) ?? linking[0];
  }
}
