import type { PlatformName } from '@app/mapper';

/** A record as its platform names it. */
export interface RecordName {
  readonly platform: PlatformName;
  readonly platformId: string;
}

/** What a person says of two records. */
export type Verdict = 'link' | 'not_same';

/** A decision about a pair, as far as matching goes by it. */
export interface Bond {
  readonly id: string;
  readonly decision: Verdict;
  readonly records: readonly [RecordName, RecordName];
}

/** Records that decisions hold together: one of a platform at most, some of which may not be there. */
export interface Unit {
  readonly name: string;
  readonly records: readonly RecordName[];
}

/** One text for a record of a type. */
export function nameOf({ platform, platformId }: RecordName): string {
  return `${platform} ${platformId}`;
}

/** What standing decisions about records of one type come to. Pure. */
export class Bonds {
  private readonly units = new Map<string, Unit>();
  /** Decisions that keep two units apart, by the names of both. */
  private readonly apart = new Map<string, Bond>();

  /** @param bonds all standing decisions that bear on the records that will be asked for */
  constructor(private readonly bonds: readonly Bond[]) {
    for (const { decision, records } of bonds) {
      const [one, other] = [this.unitOf(records[0]), this.unitOf(records[1])];
      if (decision !== 'link' || one === other) continue;
      const joined: Unit = { name: one.name, records: [...one.records, ...other.records] };
      for (const record of joined.records) this.units.set(nameOf(record), joined);
    }
    for (const bond of bonds) {
      if (bond.decision !== 'not_same') continue;
      const [one, other] = [this.unitOf(bond.records[0]).name, this.unitOf(bond.records[1]).name];
      this.apart.set(`${one}\n${other}`, bond);
      this.apart.set(`${other}\n${one}`, bond);
    }
  }

  /** The unit of a record; one of its own where nobody linked it. */
  unitOf(record: RecordName): Unit {
    const name = nameOf(record);
    let unit = this.units.get(name);
    if (unit === undefined) this.units.set(name, (unit = { name, records: [record] }));
    return unit;
  }

  /** The decision that keeps the units of two records apart. */
  between(one: RecordName, other: RecordName): Bond | undefined {
    return this.apart.size === 0
      ? undefined
      : this.apart.get(`${this.unitOf(one).name}\n${this.unitOf(other).name}`);
  }

  /** A decision that holds two records of one unit together: the one about them, or one on the way from one to the other. */
  holding(one: RecordName, other: RecordName): Bond | undefined {
    const names = new Set(this.unitOf(one).records.map(nameOf));
    const linking = this.bonds.filter(
      ({ decision, records }) => decision === 'link' && names.has(nameOf(records[0])),
    );
    const wanted = new Set([nameOf(one), nameOf(other)]);
    return linking.find(({ records }) => records.every((record) => wanted.has(nameOf(record)))) ?? linking[0];
  }
}
